package dev.idempotency.web;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

import dev.idempotency.Idempotent;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.core.IdempotencyListener;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.fixtures.BrokenCipher;
import dev.idempotency.http.ResponsePolicy;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.FaultInjectingStore;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An {@link Error} while an answer is settled: the client is told of a failure, the
 * handler's transaction is undone and leaves its thread, and the key is not held for
 * ever.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SettlingErrorContract {

	@AutoClose
	private TestServer server;

	private JdbcTemplate jdbc;

	private String key;

	SettlingErrorContract() {
	}

	abstract String url();

	@BeforeAll
	void start() {
		this.server = TestServer.start(
				List.of(WebTestApplication.class, Works.class, Handlers.class, Surroundings.class),
				TestServer.WITH_DATABASE, "spring.datasource.url=" + url(), "idempotency.store=jdbc",
				"idempotency.jdbc.initialize-schema=always", "idempotency.encryption.key=MDEyMzQ1Njc4OWFiY2RlZg==",
				// Whatever stays on a thread is met by the next request
				"server.tomcat.threads.max=1", "server.tomcat.threads.min-spare=1",
				"spring.datasource.hikari.maximum-pool-size=3", "spring.datasource.hikari.connection-timeout=5000");
		this.jdbc = this.server.bean(JdbcTemplate.class);
		this.jdbc.execute("drop table if exists work");
		this.jdbc.execute("create table work (text varchar(100))");
	}

	@BeforeEach
	void clear() {
		this.key = TestServer.newKey();
		this.jdbc.update("delete from work");
		this.jdbc.update("delete from idempotency_record");
		this.server.executions().clear();
	}

	private Answer send(String path, String fault) {
		Planned planned = this.server.bean(Planned.class);
		planned.fault = fault;
		TestServer.Call call = this.server.post(path).header("X-Fault", fault).key(this.key);
		try {
			return fault.equals("packing") ? BrokenCipher.during(call::send) : call.send();
		}
		finally {
			planned.fault = "";
		}
	}

	private int rows(String text) {
		Integer count = this.jdbc.queryForObject("select count(*) from work where text = ?", Integer.class, text);
		return (count != null) ? count : -1;
	}

	private List<String> states() {
		return this.jdbc.queryForList(
				"select case state when 0 then 'IN_PROGRESS' else 'COMPLETED' end from idempotency_record",
				String.class);
	}

	/**
	 * The thread is as it was, and so is the keeper of leases.
	 */
	private void assertNothingLeftBehind() {
		await()
			.untilAsserted(() -> assertThat(this.server.bean(IdempotencyEngine.class).executionsInProgress()).isZero());
		for (int i = 1; i <= 3; i++) {
			assertThat(this.server.post("/settling/unrelated").send().status()).isEqualTo(200);
			assertThat(rows("unrelated")).as("rows of unrelated requests").isEqualTo(i);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "policy", "store", "packing", "getter", "commit" })
	void undoesTheWorkOfATransactionalHandler(String fault) {
		Answer answer = send("/settling/transactional", fault);
		assertNothingLeftBehind();
		assertThat(answer.status()).as("%s", answer).isEqualTo(500);
		// An error of a commit may come after it
		assertThat(answer.effect()).isEqualTo(fault.equals("commit") ? "" : "none");
		assertThat(rows("done")).isZero();
		assertThat(states()).isEmpty();
		assertThat(send("/settling/transactional", "none").status()).isEqualTo(200);
		assertThat(send("/settling/transactional", "none").isReplay()).isTrue();
		assertThat(rows("done")).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "policy", "store", "packing", "commit" })
	void undoesTheWorkOfATransactionalRoute(String fault) {
		Answer answer = send("/settling/route", fault);
		assertNothingLeftBehind();
		assertThat(answer.status()).as("%s", answer).isEqualTo(500);
		assertThat(rows("done")).isZero();
		assertThat(states()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "transactional", "plain" })
	void keepsWhatWasCommittedWhenWhoHearsOfItFails(String kind) {
		Answer answer = send("/settling/" + kind, "listener");
		assertNothingLeftBehind();
		assertThat(answer.status()).as("%s", answer).isEqualTo(500);
		assertThat(rows("done")).isEqualTo(1);
		assertThat(send("/settling/" + kind, "none").isReplay()).isTrue();
		assertThat(rows("done")).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "policy", "store", "packing", "getter" })
	void runsNothingTwiceThatIsNotUndone(String fault) {
		Answer answer = send("/settling/plain", fault);
		assertNothingLeftBehind();
		assertThat(answer.status()).as("%s", answer).isEqualTo(500);
		assertThat(rows("done")).isEqualTo(1);
		assertThat(states()).containsExactly("COMPLETED");
		Answer retry = send("/settling/plain", "none");
		assertThat(retry.status()).isEqualTo(409);
		assertThat(retry.text()).contains("not-replayable");
		assertThat(rows("done")).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "task", "completing", "dispatching" })
	void runsNothingTwiceThatAnswersAsynchronously(String kind) {
		Answer answer = send("/settling/" + kind, "policy");
		assertNothingLeftBehind();
		assertThat(answer.status()).as("%s", answer).isEqualTo(500);
		assertThat(states()).containsExactly("COMPLETED");
		assertThat(send("/settling/" + kind, "none").status()).isEqualTo(409);
		assertThat(this.server.executions().of(kind)).isEqualTo(1);
	}

	@Test
	void givesAKeyBackWhoseClaimNobodyCouldBeToldOf() {
		Answer answer = send("/settling/transactional", "claim");
		assertNothingLeftBehind();
		assertThat(answer.status()).as("%s", answer).isEqualTo(500);
		assertThat(rows("done")).isZero();
		assertThat(states()).isEmpty();
	}

	/**
	 * Which error is to come.
	 */
	static class Planned implements IdempotencyListener {

		private volatile String fault = "";

		private boolean is(String fault) {
			return this.fault.equals(fault);
		}

		@Override
		public void onEvent(IdempotencyEvent event) {
			if ((is("listener") && event instanceof IdempotencyEvent.Finished)
					|| (is("claim") && event instanceof IdempotencyEvent.Decided)) {
				throw new OutOfMemoryError("as planned");
			}
		}

	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Surroundings {

		@Bean
		static Planned planned() {
			return new Planned();
		}

		@Bean
		ResponsePolicy policy(Planned planned) {
			return (request, status) -> {
				if (planned.is("policy")) {
					throw new OutOfMemoryError("as planned");
				}
				return status < 500;
			};
		}

		@Bean
		static BeanPostProcessor faults() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					return (bean instanceof IdempotencyStore store) ? FaultInjectingStore.around(store, this::next)
							: bean;
				}

				private Fault next(StoreVerb verb) {
					return (verb == StoreVerb.COMPLETE && Works.isToFail("store")) ? Fault.ERROR_BEFORE : Fault.NONE;
				}

			};
		}

		@Bean
		RouterFunction<ServerResponse> settlingRoute(IdempotencyRouteFilter idempotency, Works works) {
			return RouterFunctions.route()
				.POST("/settling/route",
						(request) -> ServerResponse.ok().body(works.work(request.headers().header("X-Fault").get(0))))
				.filter(idempotency.withTransaction())
				.build();
		}

	}

	@Service
	static class Works {

		private static volatile String fault = "";

		private final JdbcTemplate jdbc;

		Works(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		/**
		 * Once after each piece of work.
		 */
		private static boolean isToFail(String fault) {
			boolean failing = Works.fault.equals(fault);
			if (failing) {
				Works.fault = "";
			}
			return failing;
		}

		String work(String fault) {
			Works.fault = fault;
			enter("done");
			if (fault.equals("commit")) {
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void beforeCommit(boolean readOnly) {
						throw new NoClassDefFoundError("as planned");
					}

				});
			}
			return "done";
		}

		@Transactional
		void enter(String text) {
			this.jdbc.update("insert into work (text) values (?)", text);
		}

	}

	/**
	 * What cannot be written.
	 */
	public record Done(String fault) {

		public String getText() {
			if (this.fault.equals("getter")) {
				throw new NoClassDefFoundError("as planned");
			}
			return "done";
		}

	}

	@RestController
	record Handlers(Works works, Executions executions) {

		@PostMapping("/settling/unrelated")
		String unrelated() {
			this.works.enter("unrelated");
			return "entered";
		}

		@PostMapping("/settling/open")
		String open() {
			return "open";
		}

		@PostMapping("/settling/transactional")
		@Idempotent(transactional = true)
		Done transactional(@RequestHeader("X-Fault") String fault) {
			this.works.work(fault);
			return new Done(fault);
		}

		@PostMapping("/settling/plain")
		@Idempotent
		Done plain(@RequestHeader("X-Fault") String fault) {
			this.works.work(fault);
			return new Done(fault);
		}

		@PostMapping("/settling/task")
		@Idempotent
		Callable<String> task() {
			return () -> this.executions.next("task");
		}

		@PostMapping("/settling/completing")
		@Idempotent
		void completing(HttpServletRequest request) {
			AsyncContext async = request.startAsync();
			String text = this.executions.next("completing");
			async.start(() -> {
				try {
					async.getResponse().getOutputStream().print(text);
					async.complete();
				}
				catch (IOException ex) {
					throw new IllegalStateException(ex);
				}
			});
		}

		@PostMapping("/settling/dispatching")
		@Idempotent
		void dispatching(HttpServletRequest request) {
			this.executions.next("dispatching");
			request.startAsync().dispatch("/settling/open");
		}

	}

}
