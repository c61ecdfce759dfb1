package dev.idempotency.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.test.FaultInjectingStore.Fault;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A store that fails before, while and after a handler runs.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpStoreFailureTests implements Container.Choice {

	private static final Duration LEASE = Duration.ofSeconds(30);

	@AutoClose
	private final TestServer server = start("idempotency.on-store-failure=reject");

	private final MovableStore store = this.server.bean(MovableStore.class);

	@AutoClose
	private final TestServer proceedingServer = start("idempotency.on-store-failure=proceed");

	private final MovableStore proceedingStore = this.proceedingServer.bean(MovableStore.class);

	private TestServer start(String property) {
		return start(List.of(WebTestApplication.class, Endpoints.class, MovableStore.class), property,
				"idempotency.lease=" + LEASE.toSeconds() + "s");
	}

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return serve(sources, properties);
	}

	@AfterEach
	void mend() {
		this.store.mend();
		this.proceedingStore.mend();
	}

	@Test
	void nothingRunsIfTheKeyCannotBeClaimed() {
		String key = TestServer.newKey();
		this.store.fail(StoreVerb.CLAIM, Fault.BEFORE);
		assertThat(this.server.post("/entity").key(key).send()).satisfies(HttpStoreFailureTests::isStoreUnavailable);
		assertThat(this.server.executions().of(key)).isZero();
		this.store.mend();
		assertThat(this.server.post("/entity").key(key).send()).satisfies(HttpStoreFailureTests::isExecuted);
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	@Test
	void nothingRunsIfNobodyKnowsWhetherTheKeyIsClaimed() {
		String key = TestServer.newKey();
		this.store.fail(StoreVerb.CLAIM, Fault.AFTER);
		assertThat(this.server.post("/entity").key(key).send()).satisfies(HttpStoreFailureTests::isStoreUnavailable);
		this.store.mend();
		this.server.post("/entity").key(key).send().assertInProgress();
		assertThat(this.server.executions().of(key)).isZero();
		this.store.passWithoutRenewal(LEASE);
		assertThat(this.server.post("/entity").key(key).send()).satisfies(HttpStoreFailureTests::isExecuted);
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	@Test
	void aStoredAnswerIsNotLostIfItCannotBeLookedUpForAWhile() {
		String key = TestServer.newKey();
		Answer first = this.server.post("/entity").key(key).send();
		this.store.fail(StoreVerb.CLAIM, Fault.BEFORE);
		assertThat(this.server.post("/entity").key(key).send()).satisfies(HttpStoreFailureTests::isStoreUnavailable);
		this.store.mend();
		this.server.post("/entity").key(key).send().assertExactReplayOf(first);
	}

	@ParameterizedTest
	@ValueSource(strings = { "entity", "deferred", "streaming", "void-flushed", "void-length" })
	void theHandlerRunsUnprotectedWhereThatIsAskedFor(String kind) {
		String key = TestServer.newKey();
		this.proceedingStore.fail(StoreVerb.CLAIM, Fault.BEFORE);
		for (int run = 1; run <= 2; run++) {
			Answer answer = this.proceedingServer.post("/" + kind).key(key).send();
			assertThat(answer).satisfies(HttpStoreFailureTests::isExecuted);
			assertThat(answer.text()).contains(key + " no. " + run);
		}
		this.proceedingStore.mend();
		assertThat(this.proceedingServer.post("/" + kind).key(key).send().text()).contains(key + " no. 3");
		assertThat(this.proceedingServer.post("/" + kind).key(key).send().text()).contains(key + " no. 3");
	}

	@ParameterizedTest
	@ValueSource(strings = { "entity", "deferred", "streaming", "void-flushed", "void-length", "send-error" })
	void theClientGetsItsAnswerIfItCannotBeStoredAndALeaseHoldsRetriesOff(String kind) {
		String key = TestServer.newKey();
		this.store.fail(StoreVerb.COMPLETE, Fault.BEFORE);
		assertThat(this.server.post("/" + kind).key(key).send()).satisfies(HttpStoreFailureTests::isExecuted);
		this.store.mend();
		this.server.post("/" + kind).key(key).send().assertInProgress();
		this.store.passWithoutRenewal(LEASE.minusMillis(1));
		this.server.post("/" + kind).key(key).send().assertInProgress();
		assertThat(this.server.executions().of(key)).isEqualTo(1);
		this.store.passWithoutRenewal(Duration.ofMillis(1));
		Answer second = this.server.post("/" + kind).key(key).send();
		assertThat(second).satisfies(HttpStoreFailureTests::isExecuted);
		assertThat(second.header("X-Attempt")).isEqualTo("2");
		assertThat(this.server.executions().of(key)).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "entity", "deferred", "streaming", "void-flushed", "void-length", "send-error" })
	void anAnswerIsReplayedThatWasStoredThoughTheStoreFailedToSaySo(String kind) {
		String key = TestServer.newKey();
		this.store.fail(StoreVerb.COMPLETE, Fault.AFTER);
		Answer first = this.server.post("/" + kind).key(key).send();
		assertThat(first).satisfies(HttpStoreFailureTests::isExecuted);
		this.store.mend();
		this.server.post("/" + kind).key(key).send().assertExactReplayOf(first);
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "unavailable", "exception" })
	void theClientGetsItsErrorIfTheKeyCannotBeGivenBackAndALeaseHoldsRetriesOff(String kind) {
		String key = TestServer.newKey();
		this.store.fail(StoreVerb.RELEASE, Fault.BEFORE);
		assertThat(this.server.post("/" + kind).key(key).send()).satisfies(HttpStoreFailureTests::isOwnError);
		this.store.mend();
		this.server.post("/" + kind).key(key).send().assertInProgress();
		assertThat(this.server.executions().of(key)).isEqualTo(1);
		this.store.passWithoutRenewal(LEASE);
		assertThat(this.server.post("/" + kind).key(key).send()).satisfies(HttpStoreFailureTests::isOwnError);
		assertThat(this.server.executions().of(key)).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "unavailable", "exception" })
	void aRetryRunsIfTheKeyWasGivenBackThoughTheStoreFailedToSaySo(String kind) {
		String key = TestServer.newKey();
		this.store.fail(StoreVerb.RELEASE, Fault.AFTER);
		assertThat(this.server.post("/" + kind).key(key).send()).satisfies(HttpStoreFailureTests::isOwnError);
		assertThat(this.server.post("/" + kind).key(key).send()).satisfies(HttpStoreFailureTests::isOwnError);
		assertThat(this.server.executions().of(key)).isEqualTo(2);
	}

	private static void isStoreUnavailable(Answer answer) {
		answer.assertProblem(503, "store-unavailable");
		assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
		assertThat(Integer.parseInt(answer.header("Retry-After"))).isPositive();
		assertThat(answer.isReplay()).isFalse();
	}

	private static void isExecuted(Answer answer) {
		assertThat(answer.status()).as("%s", answer).isIn(200, 404);
		assertThat(answer.effect()).isEqualTo("executed");
		assertThat(answer.isReplay()).isFalse();
		assertThat(answer.header("X-Attempt")).isNotEmpty();
	}

	private static void isOwnError(Answer answer) {
		assertThat(answer.status()).as("%s", answer).isEqualTo(500);
		assertThat(answer.effect()).isEqualTo("executed");
		assertThat(answer.text()).contains("Internal Server Error");
	}

	/**
	 * Handlers that answer with how often they ran, and what their attempt is.
	 */
	@RestController
	@Idempotent
	record Endpoints(Executions executions) {

		private String run(IdempotencyContext context, HttpServletResponse response) {
			response.setHeader("X-Attempt", String.valueOf(context.attempt()));
			return this.executions.next(context.key().value());
		}

		@PostMapping("/entity")
		ResponseEntity<String> entity(IdempotencyContext context, HttpServletResponse response) {
			return ResponseEntity.ok(run(context, response));
		}

		@PostMapping("/deferred")
		DeferredResult<String> deferred(IdempotencyContext context, HttpServletResponse response) {
			DeferredResult<String> result = new DeferredResult<>();
			String text = run(context, response);
			Background.execute(() -> result.setResult(text));
			return result;
		}

		@PostMapping("/streaming")
		StreamingResponseBody streaming(IdempotencyContext context, HttpServletResponse response) {
			byte[] bytes = run(context, response).getBytes(StandardCharsets.UTF_8);
			return (out) -> out.write(bytes);
		}

		@PostMapping("/void-flushed")
		void voidFlushed(IdempotencyContext context, HttpServletResponse response) throws IOException {
			byte[] bytes = run(context, response).getBytes(StandardCharsets.UTF_8);
			response.flushBuffer();
			response.getOutputStream().write(bytes);
		}

		@PostMapping("/void-length")
		void voidLength(IdempotencyContext context, HttpServletResponse response) throws IOException {
			byte[] bytes = run(context, response).getBytes(StandardCharsets.UTF_8);
			response.setContentLength(bytes.length);
			response.flushBuffer();
			response.getOutputStream().write(bytes);
		}

		@PostMapping("/send-error")
		void sendError(IdempotencyContext context, HttpServletResponse response) throws IOException {
			response.sendError(404, run(context, response));
		}

		@PostMapping("/unavailable")
		void unavailable(IdempotencyContext context, HttpServletResponse response) throws IOException {
			run(context, response);
			response.sendError(500);
		}

		@PostMapping("/exception")
		String fail(IdempotencyContext context, HttpServletResponse response) {
			throw new IllegalStateException(run(context, response));
		}

	}

}
