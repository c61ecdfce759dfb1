package dev.idempotency.web;

import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.DryRun;
import dev.idempotency.Effect;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Idempotent;
import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.InspectableStore.Inspection;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A dry run says what would happen, and leaves no trace.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DryRunTests {

	@AutoClose
	private final TestServer server = TestServer.start(
			List.of(WebTestApplication.class, Turnstile.class, Events.class, Ledger.class, Orders.class,
					Rehearsed.class),
			TestServer.WITH_DATABASE, "spring.datasource.url=jdbc:h2:mem:dry-run",
			// A connection that is not given back would be missed soon
			"spring.datasource.hikari.maximum-pool-size=2", "spring.datasource.hikari.connection-timeout=5000",
			"idempotency.max-replays=2");

	private final JdbcTemplate jdbc = this.server.bean(JdbcTemplate.class);

	@BeforeAll
	void createTable() {
		this.jdbc.execute("create table entry (text varchar(100))");
	}

	@BeforeEach
	void clear() {
		this.jdbc.update("delete from entry");
		this.server.executions().clear();
		this.server.bean(Events.class).clear();
	}

	@ParameterizedTest
	@ValueSource(strings = { "?1", "true", " TRUE " })
	void saysThatARequestWouldRun(String yes) {
		String key = TestServer.newKey();
		Answer answer = this.server.post("/orders").key(key).header("Idempotency-Dry-Run", yes).json("{}").send();
		assertReport(answer, "{\"effect\":\"would_execute\",\"key\":\"%s\",\"state\":\"absent\"}".formatted(key));
		assertLeftNoTrace("POST /orders", key);
		Answer first = this.server.post("/orders").key(key).json("{}").send();
		assertThat(first.status()).isEqualTo(201);
		assertThat(first.isReplay()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "?0", "false", "?0;a=b" })
	void runsWhatIsNoDryRun(String no) {
		Answer answer = this.server.post("/orders")
			.key(TestServer.newKey())
			.header("Idempotency-Dry-Run", no)
			.json("{}")
			.send();
		assertThat(answer.status()).isEqualTo(201);
		assertThat(answer.effect()).isEqualTo("created");
	}

	@ParameterizedTest
	@ValueSource(strings = { "1", "yes", "", "?1, ?0", "?0;" })
	void refusesWhatMayBeADryRunOrNot(String perhaps) {
		String key = TestServer.newKey();
		Answer answer = this.server.post("/orders").key(key).header("Idempotency-Dry-Run", perhaps).json("{}").send();
		answer.assertProblem(400, "dry-run-invalid");
		assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(answer.text()).contains("?1 or true");
		assertLeftNoTrace("POST /orders", key);
	}

	@Test
	void showsTheKeyWithoutItsQuotes() {
		Answer answer = dryRun("/orders", "\"a\\\"b\"", "{}");
		assertReport(answer, "{\"effect\":\"would_execute\",\"key\":\"a\\\"b\",\"state\":\"absent\"}");
	}

	@Test
	void saysThatAnAnswerWouldBeRepeated() {
		String key = TestServer.newKey();
		Answer first = this.server.post("/orders").key(key).json("{\"a\":1,\"b\":2}").send();
		assertReport(dryRun("/orders", key, "{\"b\":2,\"a\":1}"),
				"{\"effect\":\"would_replay\",\"key\":\"%s\",\"state\":\"completed\",\"expires\":\"%s\"}".formatted(key,
						find("POST /orders", key).orElseThrow().status().expires()));
		assertThat(this.server.post("/orders").key(key).json("{\"a\":1,\"b\":2}").send().body())
			.isEqualTo(first.body());
		assertThat(this.server.executions().of("orders")).isEqualTo(1);
	}

	@Test
	void saysThatARequestWouldMeetItsRunningTwin() {
		String key = TestServer.newKey();
		Turnstile turnstile = this.server.bean(Turnstile.class);
		CompletableFuture<Answer> held = turnstile.hold(this.server.post("/slow").key(key).json("{}"));
		Answer twin = dryRun("/slow", key, "{}");
		Answer other = dryRun("/slow", key, "{\"a\":1}");
		String expires = find("POST /slow", key).orElseThrow().status().expires().toString();
		turnstile.letGo(held);
		assertReport(twin, "{\"effect\":\"would_conflict\",\"key\":\"%s\",\"state\":\"in_progress\",\"expires\":\"%s\"}"
			.formatted(key, expires));
		assertReport(other, "{\"effect\":\"would_reject\",\"key\":\"%s\",\"state\":\"in_progress\",\"expires\":\"%s\"}"
			.formatted(key, expires));
		assertThat(this.server.executions().of("orders")).isEqualTo(1);
	}

	@Test
	void saysThatAnotherRequestWouldBeRefused() {
		String key = TestServer.newKey();
		this.server.post("/orders").key(key).json("{\"a\":1}").send();
		assertReport(dryRun("/orders", key, "{\"a\":2}"),
				"{\"effect\":\"would_reject\",\"key\":\"%s\",\"state\":\"completed\",\"expires\":\"%s\"}".formatted(key,
						find("POST /orders", key).orElseThrow().status().expires()));
	}

	@Test
	void saysThatAnAnswerWasAskedForTooOften() {
		String key = TestServer.newKey();
		for (int i = 0; i < 2; i++) {
			this.server.post("/orders").key(key).json("{}").send();
			assertThat(dryRun("/orders", key, "{}").effect()).isEqualTo("would_replay");
		}
		assertThat(this.server.post("/orders").key(key).json("{}").send().isReplay()).isTrue();
		assertThat(dryRun("/orders", key, "{}").effect()).isEqualTo("would_reject");
		assertThat(this.server.post("/orders").key(key).json("{}").send().status()).isEqualTo(429);
	}

	@Test
	void saysThatAnAnswerCouldNotBeRepeated() {
		String key = TestServer.newKey();
		this.server.post("/kinds/sse").key(key).send();
		assertThat(this.server.post("/kinds/sse").key(key).send().status()).isEqualTo(409);
		assertThat(dryRun("/kinds/sse", key, "").effect()).isEqualTo("would_reject");
		Answer exact = this.server.post("/kinds/sse").key(key).dryRun().send();
		assertThat(exact.effect()).isEqualTo("would_conflict");
		assertThat(exact.text()).contains("\"state\":\"completed\"");
	}

	@Test
	void saysThatARequestWithoutAKeyWouldRunWhereNoneIsRequired() {
		for (int i = 0; i < 2; i++) {
			Answer answer = this.server.post("/optional").dryRun().send();
			assertReport(answer, "{\"effect\":\"would_execute\",\"state\":\"absent\"}");
		}
		assertThat(this.server.executions().of("orders")).isZero();
	}

	@Test
	void refusesADryRunWithoutTheKeyThatIsRequired() {
		Answer answer = this.server.post("/orders").dryRun().send();
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.effect()).isEqualTo("none");
	}

	@Test
	void saysWhatARouteWouldDo() {
		String key = TestServer.newKey();
		assertReport(dryRun("/kinds/route", key, "{}"),
				"{\"effect\":\"would_execute\",\"key\":\"%s\",\"state\":\"absent\"}".formatted(key));
		assertThat(this.server.executions().of("route")).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "POST, /rehearsed/create, 201, would_create", "PUT, /rehearsed/update, 200, would_update",
			"PATCH, /rehearsed/update, 200, would_update", "DELETE, /rehearsed/delete, 204, would_delete",
			"POST, /rehearsed/execute, 200, would_execute", "POST, /rehearsed/declared, 200, would_delete",
			"POST, /rehearsed/said, 200, would_update" })
	void rehearsesAndRollsBack(String method, String path, int status, String effect) {
		String key = TestServer.newKey();
		for (int i = 1; i <= 3; i++) {
			Answer answer = this.server.call(method, path).key(key).dryRun().send();
			assertThat(answer.status()).as("%s", answer).isEqualTo(status);
			assertThat(answer.effect()).isEqualTo(effect);
			assertThat(answer.isReplay()).isFalse();
			assertThat(this.server.executions().of("rehearsed")).isEqualTo(i);
			assertThat(entries()).isZero();
			assertThat(find(method + " " + path, key)).isEmpty();
		}
		Answer real = this.server.call(method, path).key(key).send();
		assertThat(real.status()).isEqualTo(status);
		assertThat(real.effect()).startsWith(effect.substring("would_".length()));
		assertThat(real.isReplay()).isFalse();
		assertThat(entries()).isEqualTo(1);
	}

	@Test
	void answersARehearsalAsTheHandlerDoes() {
		Answer answer = this.server.post("/rehearsed/create").key(TestServer.newKey()).dryRun().send();
		assertThat(answer.header("Location")).isEqualTo("/entries/1");
		assertThat(answer.text()).startsWith("1 entries, rehearsed no. 1");
	}

	@Test
	void rollsBackWhatAServiceDoesInATransaction() {
		Answer answer = dryRun("/rehearsed/service", TestServer.newKey(), "");
		assertThat(answer.text()).isEqualTo("1 entries");
		assertThat(entries()).isZero();
		assertThat(this.server.post("/rehearsed/service").key(TestServer.newKey()).send().text())
			.isEqualTo("1 entries");
		assertThat(entries()).isEqualTo(1);
	}

	@Test
	void rehearsesWithoutAKeyWhereNoneIsRequired() {
		Answer answer = this.server.post("/rehearsed/optional").dryRun().send();
		assertThat(answer.status()).as("%s", answer).isEqualTo(200);
		assertThat(answer.effect()).isEqualTo("would_execute");
		assertThat(entries()).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "/rehearsed/throws, 500", "/rehearsed/gone, 410", "/rehearsed/service-throws, 500" })
	void rollsBackWhenTheHandlerFails(String path, int status) {
		String key = TestServer.newKey();
		for (int i = 0; i < 3; i++) {
			Answer answer = this.server.post(path).key(key).dryRun().send();
			assertThat(answer.status()).as("%s", answer).isEqualTo(status);
			assertThat(answer.effect()).isEqualTo("would_execute");
			assertThat(entries()).isZero();
			assertThat(find("POST " + path, key)).isEmpty();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/rehearsed/task", "/rehearsed/raw-async" })
	void doesNotLetAnAsynchronousHandlerEscapeTheTransaction(String path) {
		Answer answer = dryRun(path, TestServer.newKey(), "");
		assertThat(answer.status()).isEqualTo(500);
		assertThat(this.server.executions().of("rehearsed")).isZero();
		assertThat(entries()).isZero();
		assertThat(this.server.post(path).key(TestServer.newKey()).send().status()).isEqualTo(200);
		assertThat(entries()).isEqualTo(1);
	}

	@Test
	void saysThatNothingWouldRunWhenTheHandlerIsNotReached() {
		String key = TestServer.newKey();
		Answer answer = dryRun("/rehearsed/number", key, "nonsense");
		assertThat(answer.status()).isEqualTo(400);
		assertThat(answer.effect()).isEqualTo("none");
		assertThat(dryRun("/rehearsed/number", key, "7").effect()).isEqualTo("would_execute");
	}

	@Test
	void doesNotRehearseWhatWouldNotRun() {
		String key = TestServer.newKey();
		this.server.post("/rehearsed/create").key(key).send();
		Answer answer = this.server.post("/rehearsed/create").key(key).dryRun().send();
		assertReport(answer, "{\"effect\":\"would_replay\",\"key\":\"%s\",\"state\":\"completed\",\"expires\":\"%s\"}"
			.formatted(key, find("POST /rehearsed/create", key).orElseThrow().status().expires()));
		assertThat(dryRun("/rehearsed/create", key, "other").effect()).isEqualTo("would_reject");
		assertThat(this.server.executions().of("rehearsed")).isEqualTo(1);
		assertThat(entries()).isEqualTo(1);
	}

	private Answer dryRun(String path, String key, String json) {
		return this.server.post(path).key(key).dryRun().json(json).send();
	}

	private static void assertReport(Answer answer, String json) {
		assertThat(answer.status()).as("%s", answer).isEqualTo(200);
		assertThat(answer.header("Content-Type")).isEqualTo("application/json");
		assertThat(answer.text()).isEqualTo(json);
		assertThat(answer.text()).contains("\"effect\":\"%s\"".formatted(answer.effect()));
		assertThat(answer.isReplay()).isFalse();
	}

	private void assertLeftNoTrace(String operation, String key) {
		assertThat(find(operation, key)).isEmpty();
		assertThat(this.server.executions().of("orders")).isZero();
		assertThat(this.server.bean(Events.class).of(IdempotencyEvent.class)).isEmpty();
	}

	private Optional<Inspection> find(String operation, String key) {
		return this.server.bean(InspectableStore.class).find(IdempotencyKey.of(operation, key).within("test"));
	}

	private int entries() {
		return count(this.jdbc);
	}

	private static int count(JdbcTemplate jdbc) {
		Integer count = jdbc.queryForObject("select count(*) from entry", Integer.class);
		return (count != null) ? count : -1;
	}

	@RestController
	@Idempotent
	record Orders(Executions executions, Turnstile turnstile) {

		@PostMapping("/orders")
		ResponseEntity<String> order() {
			return ResponseEntity.status(HttpStatus.CREATED).body(this.executions.next("orders"));
		}

		@PostMapping("/slow")
		ResponseEntity<String> slow() {
			this.turnstile.pass();
			return order();
		}

		@PostMapping("/optional")
		@Idempotent(required = false)
		ResponseEntity<String> optional() {
			return order();
		}

	}

	@Service
	static class Ledger {

		private final JdbcTemplate jdbc;

		Ledger(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@Transactional
		public String enter(boolean failing) {
			this.jdbc.update("insert into entry values ('entered')");
			if (failing) {
				throw new IllegalStateException("failing");
			}
			return count(this.jdbc) + " entries";
		}

	}

	@RestController
	@RequestMapping("/rehearsed")
	@Idempotent(dryRun = DryRun.ROLLBACK)
	record Rehearsed(Executions executions, JdbcTemplate jdbc, Ledger ledger) {

		private String enter() {
			this.jdbc.update("insert into entry values ('entered')");
			return count(this.jdbc) + " entries, " + this.executions.next("rehearsed");
		}

		@PostMapping("/create")
		ResponseEntity<String> create() {
			return ResponseEntity.created(URI.create("/entries/1")).body(enter());
		}

		@PutMapping("/update")
		String put() {
			return enter();
		}

		@PatchMapping("/update")
		String patch() {
			return enter();
		}

		@DeleteMapping("/delete")
		ResponseEntity<Void> delete() {
			enter();
			return ResponseEntity.noContent().build();
		}

		@PostMapping("/execute")
		String execute() {
			return enter();
		}

		@PostMapping("/declared")
		@Idempotent(dryRun = DryRun.ROLLBACK, effect = Effect.DELETED)
		String declared() {
			return enter();
		}

		@PostMapping("/said")
		String said(IdempotencyContext context) {
			context.effect(Effect.UPDATED);
			return enter();
		}

		@PostMapping("/optional")
		@Idempotent(dryRun = DryRun.ROLLBACK, required = false)
		String optional() {
			return enter();
		}

		@PostMapping("/service")
		String service() {
			return this.ledger.enter(false);
		}

		@PostMapping("/service-throws")
		String serviceThrows() {
			return this.ledger.enter(true);
		}

		@PostMapping("/throws")
		String fail() {
			throw new IllegalStateException(enter());
		}

		@PostMapping("/gone")
		String failAsGone() {
			throw new ResponseStatusException(HttpStatus.GONE, enter());
		}

		@PostMapping("/task")
		Object task() {
			return (Callable<String>) this::enter;
		}

		@PostMapping("/raw-async")
		void rawAsync(HttpServletRequest request) {
			AsyncContext context = request.startAsync();
			context.start(() -> {
				enter();
				context.complete();
			});
		}

		@PostMapping("/number")
		String number(@RequestBody int number) {
			return enter() + number;
		}

	}

}
