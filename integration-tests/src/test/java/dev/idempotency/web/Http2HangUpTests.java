package dev.idempotency.web;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Clients that leave over HTTP/2 before an asynchronous result is there: the result
 * decides what happens to the key, as over HTTP/1.1.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class Http2HangUpTests implements Container.Choice {

	@AutoClose
	private TestServer server;

	private Gates gates;

	@Override
	public Container container() {
		return Container.TOMCAT_HTTP2;
	}

	@BeforeAll
	void start() {
		this.server = serve(List.of(WebTestApplication.class, Endpoints.class, Gates.class));
		this.gates = this.server.bean(Gates.class);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/deferred-failing", "/deferred-unavailable", "/future-failing", "/callable-failing" })
	void aResultThatFailsReleasesTheKey(String path) {
		String key = TestServer.newKey();
		Answer retry = leaveAndRetry(path, key);
		assertThat(retry.status()).as("%s", retry).isEqualTo(200);
		assertThat(retry.isReplay()).isFalse();
		assertThat(this.server.executions().of(key)).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/deferred", "/future" })
	void aResultThatIsThereMakesNothingRunAgain(String path) {
		String key = TestServer.newKey();
		Answer retry = leaveAndRetry(path, key);
		if (!retry.isReplay()) {
			// Where nothing was left to render it
			retry.assertProblem(409, "not-replayable");
		}
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	private Answer leaveAndRetry(String path, String key) {
		try (Http2Connection connection = new Http2Connection(this.server)) {
			Http2Connection.Stream stream = connection.post(path, key);
			this.gates.await(HttpDisconnectTests.running(key));
			stream.reset();
			// Answered after the reset was read
			connection.post("/nothing", "unused").body();
			await().pollDelay(Duration.ofMillis(300)).until(() -> true);
			this.server.post(path).key(key).send().assertInProgress();
			this.gates.open(HttpDisconnectTests.goingOn(key));
			return await().atMost(Duration.ofSeconds(20))
				.pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(10))
				.until(() -> this.server.post(path).key(key).send(),
						(answer) -> !answer.text().contains("urn:idempotency:in-progress"));
		}
	}

	@RestController
	@Idempotent
	record Endpoints(Gates gates, Executions executions) {

		private String work(IdempotencyContext context) {
			String key = context.key().value();
			String receipt = this.executions.next(key);
			if (receipt.contains("no. 1")) {
				this.gates.open(HttpDisconnectTests.running(key));
				this.gates.await(HttpDisconnectTests.goingOn(key));
			}
			return receipt;
		}

		private String failFirst(IdempotencyContext context) {
			String receipt = work(context);
			if (receipt.contains("no. 1")) {
				throw new IllegalStateException("The work has failed");
			}
			return receipt;
		}

		@PostMapping("/deferred")
		DeferredResult<String> deferred(IdempotencyContext context) {
			DeferredResult<String> result = new DeferredResult<>();
			Background.execute(() -> result.setResult(work(context)));
			return result;
		}

		@PostMapping("/future")
		CompletableFuture<String> future(IdempotencyContext context) {
			return Background.start(() -> work(context));
		}

		@PostMapping("/deferred-failing")
		DeferredResult<String> deferredFailing(IdempotencyContext context) {
			DeferredResult<String> result = new DeferredResult<>();
			Background.execute(() -> {
				try {
					result.setResult(failFirst(context));
				}
				catch (IllegalStateException ex) {
					result.setErrorResult(ex);
				}
			});
			return result;
		}

		@PostMapping("/deferred-unavailable")
		DeferredResult<ResponseEntity<String>> deferredUnavailable(IdempotencyContext context) {
			DeferredResult<ResponseEntity<String>> result = new DeferredResult<>();
			Background.execute(() -> {
				String receipt = work(context);
				result.setResult(ResponseEntity.status(receipt.contains("no. 1") ? 503 : 200).body(receipt));
			});
			return result;
		}

		@PostMapping("/future-failing")
		CompletableFuture<String> futureFailing(IdempotencyContext context) {
			return Background.start(() -> failFirst(context));
		}

		@PostMapping("/callable-failing")
		Callable<String> callableFailing(IdempotencyContext context) {
			return () -> failFirst(context);
		}

	}

}
