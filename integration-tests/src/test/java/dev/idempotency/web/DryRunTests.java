package dev.idempotency.web;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import dev.idempotency.DryRun;
import dev.idempotency.Effect;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
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
 * Dry runs on servlets, which can also rehearse.
 */
class DryRunTests extends DryRunContract implements Container.Choice {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		List<Class<?>> all = new ArrayList<>(sources);
		all.addAll(List.of(Ledger.class, Rehearsed.class));
		return serve(all,
				TestServer.with(properties, TestServer.WITH_DATABASE, "spring.datasource.url=jdbc:h2:mem:dry-run",
						// A connection that is not given back would be missed soon
						"spring.datasource.hikari.maximum-pool-size=2",
						"spring.datasource.hikari.connection-timeout=5000"));
	}

	private JdbcTemplate jdbc() {
		return server().bean(JdbcTemplate.class);
	}

	@BeforeAll
	void createTable() {
		jdbc().execute("create table entry (text varchar(100))");
	}

	@BeforeEach
	void clearTable() {
		jdbc().update("delete from entry");
	}

	@ParameterizedTest
	@CsvSource({ "POST, /rehearsed/create, 201, would_create", "PUT, /rehearsed/update, 200, would_update",
			"PATCH, /rehearsed/update, 200, would_update", "DELETE, /rehearsed/delete, 204, would_delete",
			"POST, /rehearsed/execute, 200, would_execute", "POST, /rehearsed/declared, 200, would_delete",
			"POST, /rehearsed/said, 200, would_update" })
	void rehearsesAndRollsBack(String method, String path, int status, String effect) {
		String key = TestServer.newKey();
		for (int i = 1; i <= 3; i++) {
			Answer answer = server().call(method, path).key(key).dryRun().send();
			assertThat(answer.status()).as("%s", answer).isEqualTo(status);
			assertThat(answer.effect()).isEqualTo(effect);
			assertThat(answer.isReplay()).isFalse();
			assertThat(server().executions().of("rehearsed")).isEqualTo(i);
			assertThat(entries()).isZero();
			assertThat(find(method + " " + path, key)).isEmpty();
		}
		Answer real = server().call(method, path).key(key).send();
		assertThat(real.status()).isEqualTo(status);
		assertThat(real.effect()).startsWith(effect.substring("would_".length()));
		assertThat(real.isReplay()).isFalse();
		assertThat(entries()).isEqualTo(1);
	}

	@Test
	void answersARehearsalAsTheHandlerDoes() {
		Answer answer = server().post("/rehearsed/create").key(TestServer.newKey()).dryRun().send();
		assertThat(answer.header("Location")).isEqualTo("/entries/1");
		assertThat(answer.text()).startsWith("1 entries, rehearsed no. 1");
	}

	@Test
	void rollsBackWhatAServiceDoesInATransaction() {
		Answer answer = dryRun("/rehearsed/service", TestServer.newKey(), "");
		assertThat(answer.text()).isEqualTo("1 entries");
		assertThat(entries()).isZero();
		assertThat(server().post("/rehearsed/service").key(TestServer.newKey()).send().text()).isEqualTo("1 entries");
		assertThat(entries()).isEqualTo(1);
	}

	@Test
	void rehearsesWithoutAKeyWhereNoneIsRequired() {
		Answer answer = server().post("/rehearsed/optional").dryRun().send();
		assertThat(answer.status()).as("%s", answer).isEqualTo(200);
		assertThat(answer.effect()).isEqualTo("would_execute");
		assertThat(entries()).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "/rehearsed/throws, 500", "/rehearsed/gone, 410", "/rehearsed/service-throws, 500" })
	void rollsBackWhenTheHandlerFails(String path, int status) {
		String key = TestServer.newKey();
		for (int i = 0; i < 3; i++) {
			Answer answer = server().post(path).key(key).dryRun().send();
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
		assertThat(server().executions().of("rehearsed")).isZero();
		assertThat(entries()).isZero();
		assertThat(server().post(path).key(TestServer.newKey()).send().status()).isEqualTo(200);
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
		server().post("/rehearsed/create").key(key).send();
		Answer answer = server().post("/rehearsed/create").key(key).dryRun().send();
		assertReport(answer, "{\"effect\":\"would_replay\",\"key\":\"%s\",\"state\":\"completed\",\"expires\":\"%s\"}"
			.formatted(key, find("POST /rehearsed/create", key).orElseThrow().status().expires()));
		assertThat(dryRun("/rehearsed/create", key, "other").effect()).isEqualTo("would_reject");
		assertThat(server().executions().of("rehearsed")).isEqualTo(1);
		assertThat(entries()).isEqualTo(1);
	}

	private int entries() {
		return count(jdbc());
	}

	private static int count(JdbcTemplate jdbc) {
		Integer count = jdbc.queryForObject("select count(*) from entry", Integer.class);
		return (count != null) ? count : -1;
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
