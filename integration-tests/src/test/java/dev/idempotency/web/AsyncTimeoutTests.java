package dev.idempotency.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.OnCrash;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Asynchronous handlers that outlive their timeout: as long as the work runs, its key is
 * taken.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AsyncTimeoutTests implements Container.Choice {

	@AutoClose
	private TestServer server;

	private Gates gates;

	@BeforeAll
	void start() {
		this.server = serve(List.of(WebTestApplication.class, Endpoints.class, Gates.class),
				"spring.mvc.async.request-timeout=300ms", "idempotency.lease=1500ms");
		this.gates = this.server.bean(Gates.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { "callable", "refusing", "streaming" })
	void aTaskKeepsItsKeyUntilItEnds(String kind) {
		String key = TestServer.newKey();
		Answer timedOut = post(kind, key);
		assertThat(timedOut.status()).as("%s", timedOut).isEqualTo(503);
		assertThat(timedOut.effect()).as("nobody knows").isEmpty();
		// Longer than the lease, which is renewed
		for (int i = 0; i < 10; i++) {
			post(kind, key).assertInProgress();
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
		}
		this.gates.open(key);
		Answer after = settled(kind, key);
		after.assertProblem(409, "not-replayable");
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	@Test
	void aTaskThatFailsAfterItsTimeoutReleasesItsKey() {
		String key = TestServer.newKey();
		assertThat(post("failing", key).status()).isEqualTo(503);
		post("failing", key).assertInProgress();
		this.gates.open(key);
		Answer after = settled("failing", key);
		assertThat(after.status()).as("%s", after).isEqualTo(200);
		assertThat(this.server.executions().of(key)).isEqualTo(2);
	}

	/**
	 * Nobody can know whether the work goes on.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "deferred", "future", "raw" })
	void theLeaseDecidesWhereNobodyTellsOfTheEnd(String kind) {
		String key = TestServer.newKey();
		Answer timedOut = post(kind, key);
		assertThat(timedOut.status()).as("%s", timedOut).isIn(500, 503);
		post(kind, key).assertInProgress();
		Answer after = settled(kind, key);
		assertThat(after.text()).contains("attempt 2");
		assertThat(this.server.executions().of(key)).isEqualTo(2);
	}

	@Test
	void whereARunMayHaveHappenedItIsRefusedIfTheHandlerSaysSo() {
		String key = TestServer.newKey();
		assertThat(post("deferred-refusing", key).status()).isEqualTo(503);
		settled("deferred-refusing", key).assertProblem(409, "outcome-unknown");
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	@Test
	void aResultThatTheHandlerGivesInTimeIsNoTimeout() {
		String key = TestServer.newKey();
		Answer answer = post("deferred-with-fallback", key);
		assertThat(answer.text()).isEqualTo("fallback");
		post("deferred-with-fallback", key).assertReplayOf(answer);
	}

	/**
	 * Many a handler completes its emitter then. The Flux of a handler has no timeout.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "events", "silent-events" })
	void eventsThatATimeoutHasCutOffAreNotStored(String kind) {
		String key = TestServer.newKey();
		assertThat(post(kind, key).text()).doesNotContain("the end");
		post(kind, key).assertInProgress();
		Answer after = settled(kind, key);
		assertThat(after.text()).contains("attempt 2").endsWith("data:the end\n\n");
		post(kind, key).assertReplayOf(after);
		assertThat(this.server.executions().of(key)).isEqualTo(2);
	}

	private Answer post(String kind, String key) {
		return this.server.post("/" + kind).key(key).send();
	}

	private Answer settled(String kind, String key) {
		return await().atMost(Duration.ofSeconds(15))
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(20))
			.until(() -> post(kind, key), (answer) -> !answer.text().contains("urn:idempotency:in-progress"));
	}

	@RestController
	record Endpoints(Gates gates, Executions executions) {

		private String work(IdempotencyContext context) {
			String key = context.key().value();
			String receipt = this.executions.next(key) + " attempt " + context.attempt();
			if (receipt.contains("no. 1")) {
				awaitStubbornly(key);
			}
			return receipt;
		}

		/**
		 * Does not listen when it is told that its time is up.
		 */
		private void awaitStubbornly(String key) {
			CompletableFuture<Void> opened = Background.start(() -> {
				this.gates.await(key);
				return null;
			});
			while (!opened.isDone()) {
				Thread.interrupted();
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
			}
		}

		@PostMapping("/callable")
		@Idempotent
		Callable<String> callable(IdempotencyContext context) {
			return () -> work(context);
		}

		@PostMapping("/refusing")
		@Idempotent(onCrash = OnCrash.REFUSE)
		Callable<String> refusing(IdempotencyContext context) {
			return () -> work(context);
		}

		@PostMapping("/streaming")
		@Idempotent
		StreamingResponseBody streaming(IdempotencyContext context) {
			return (out) -> out.write(work(context).getBytes(StandardCharsets.UTF_8));
		}

		@PostMapping("/failing")
		@Idempotent
		Callable<String> failing(IdempotencyContext context) {
			return () -> {
				String receipt = work(context);
				if (receipt.contains("no. 1")) {
					throw new IllegalStateException("The work has failed");
				}
				return receipt;
			};
		}

		private DeferredResult<String> defer(IdempotencyContext context) {
			String receipt = this.executions.next(context.key().value()) + " attempt " + context.attempt();
			DeferredResult<String> result = new DeferredResult<>();
			if (context.attempt() > 1) {
				result.setResult(receipt);
			}
			return result;
		}

		@PostMapping("/deferred")
		@Idempotent
		DeferredResult<String> deferred(IdempotencyContext context) {
			return defer(context);
		}

		@PostMapping("/deferred-refusing")
		@Idempotent(onCrash = OnCrash.REFUSE)
		DeferredResult<String> deferredRefusing(IdempotencyContext context) {
			return defer(context);
		}

		@PostMapping("/deferred-with-fallback")
		@Idempotent
		DeferredResult<String> deferredWithFallback(IdempotencyContext context) {
			DeferredResult<String> result = new DeferredResult<>();
			result.onTimeout(() -> result.setResult("fallback"));
			return result;
		}

		@PostMapping("/events")
		@Idempotent(storeEvents = true)
		SseEmitter events(IdempotencyContext context) {
			return emitter(context, List.of(receipt(context)));
		}

		@PostMapping("/silent-events")
		@Idempotent(storeEvents = true)
		SseEmitter silentEvents(IdempotencyContext context) {
			String receipt = receipt(context);
			return emitter(context, (context.attempt() > 1) ? List.of(receipt) : List.of());
		}

		private String receipt(IdempotencyContext context) {
			return this.executions.next(context.key().value()) + " attempt " + context.attempt();
		}

		private static SseEmitter emitter(IdempotencyContext context, List<String> events) {
			SseEmitter emitter = new SseEmitter();
			emitter.onTimeout(emitter::complete);
			events.forEach((event) -> send(emitter, event));
			if (context.attempt() > 1) {
				send(emitter, "the end");
				emitter.complete();
			}
			return emitter;
		}

		private static void send(SseEmitter emitter, String event) {
			try {
				emitter.send(event);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		@PostMapping("/future")
		@Idempotent
		CompletableFuture<String> future(IdempotencyContext context) {
			String receipt = this.executions.next(context.key().value()) + " attempt " + context.attempt();
			return (context.attempt() > 1) ? CompletableFuture.completedFuture(receipt) : new CompletableFuture<>();
		}

		@PostMapping("/raw")
		@Idempotent
		void raw(IdempotencyContext context, HttpServletRequest request) throws IOException {
			String receipt = this.executions.next(context.key().value()) + " attempt " + context.attempt();
			AsyncContext async = request.startAsync();
			if (context.attempt() > 1) {
				async.getResponse().getWriter().print(receipt);
				async.complete();
			}
			else {
				async.setTimeout(300);
			}
		}

	}

}
