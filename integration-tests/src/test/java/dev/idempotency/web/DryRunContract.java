package dev.idempotency.web;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.Idempotent;
import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.InspectableStore.Inspection;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A dry run says what would happen, and leaves no trace.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DryRunContract {

	@AutoClose
	private TestServer server;

	@BeforeAll
	void start() {
		this.server = start(List.of(WebTestApplication.class, Turnstile.class, Events.class, Orders.class),
				"idempotency.max-replays=2");
	}

	/**
	 * Starts an application in the surroundings of this test.
	 */
	abstract TestServer start(List<Class<?>> sources, String... properties);

	TestServer server() {
		return this.server;
	}

	@BeforeEach
	void clear() {
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

	Answer dryRun(String path, String key, String json) {
		return this.server.post(path).key(key).dryRun().json(json).send();
	}

	static void assertReport(Answer answer, String json) {
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

	Optional<Inspection> find(String operation, String key) {
		return this.server.bean(InspectableStore.class).find(IdempotencyKey.of(operation, key).within("test"));
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

}
