package dev.idempotency.web;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * More requests wait for a key than the container has threads.
 */
class WaitingRequestsTests {

	private static final int THREADS = 6;

	private static final int DUPLICATES = 9;

	@AutoClose
	private final TestServer server = TestServer.start(List.of(WebTestApplication.class, Endpoints.class, Gates.class),
			"idempotency.wait-timeout=30s", "server.tomcat.threads.max=" + THREADS);

	@Test
	void leavesThreadsForTheRequestThatIsWaitedFor() {
		String key = TestServer.newKey();
		CompletableFuture<Answer> first = send(key);
		this.server.bean(Gates.class).await(key + " runs");
		List<CompletableFuture<Answer>> duplicates = IntStream.range(0, DUPLICATES).mapToObj((i) -> send(key)).toList();
		await().until(() -> duplicates.stream().filter(CompletableFuture::isDone).count() == DUPLICATES - THREADS / 2);
		assertThat(this.server.call("GET", "/idle").send().text()).isEqualTo("idle");
		this.server.bean(Gates.class).open(key);
		assertThat(first.join().status()).isEqualTo(200);
		List<Answer> answers = duplicates.stream().map(CompletableFuture::join).toList();
		assertThat(answers).filteredOn(Answer::isReplay).hasSize(THREADS / 2);
		assertThat(answers).filteredOn((answer) -> !answer.isReplay()).allSatisfy(Answer::assertInProgress);
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	private CompletableFuture<Answer> send(String key) {
		return Background.start(() -> this.server.post("/deferred").key(key).send());
	}

	@RestController
	record Endpoints(Gates gates, Executions executions) {

		@PostMapping("/deferred")
		@Idempotent(onConflict = OnConflict.WAIT)
		DeferredResult<String> deferred(IdempotencyContext context) {
			String key = context.key().value();
			DeferredResult<String> result = new DeferredResult<>(30_000L);
			String receipt = this.executions.next(key);
			Background.execute(() -> {
				this.gates.await(key);
				result.setResult(receipt);
			});
			this.gates.open(key + " runs");
			return result;
		}

		@GetMapping("/idle")
		String idle() {
			return "idle";
		}

	}

}
