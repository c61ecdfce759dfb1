package dev.idempotency.web;

import java.io.EOFException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.Idempotent;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Failures of handlers that Spring takes for a client that is gone, and answers with
 * nothing and 200.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SwallowedFailureTests {

	private TestServer server;

	@BeforeAll
	void start() {
		this.server = TestServer.start(List.of(WebTestApplication.class, Handlers.class));
	}

	@AfterAll
	void stop() {
		this.server.close();
	}

	@Test
	void aHandlerWhoseServerHungUpHasFailed() {
		String key = TestServer.newKey();
		Answer first = this.server.post("/hung-up").key(key).send();
		Answer second = this.server.post("/hung-up").key(key).send();
		Answer third = this.server.post("/hung-up").key(key).send();
		assertThat(first.status()).isEqualTo(500);
		assertThat(second.status()).isEqualTo(200);
		assertThat(second.text()).isEqualTo("call 2");
		assertThat(second.header(Replies.REPLAYED)).isEmpty();
		assertThat(third.text()).isEqualTo("call 2");
		assertThat(third.header(Replies.REPLAYED)).isEqualTo("true");
	}

	@RestController
	static class Handlers {

		private final AtomicInteger calls = new AtomicInteger();

		@Idempotent
		@PostMapping("/hung-up")
		String call() throws IOException {
			int call = this.calls.incrementAndGet();
			if (call == 1) {
				throw new IOException("The other server does not answer", new EOFException());
			}
			return "call " + call;
		}

	}

}
