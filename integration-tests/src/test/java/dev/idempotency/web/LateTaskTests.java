package dev.idempotency.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.idempotency.Idempotent;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.test.Race;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tasks on the container's threads, behind Spring Security, whose clients reset their
 * connections: whatever such a task still does harms no other request.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LateTaskTests {

	private static final int CLIENTS = 12;

	private static final int ROUNDS = LongRun.choose(8, 300);

	private static final long LATEST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	@AutoClose
	private TestServer server;

	@BeforeAll
	void start() {
		this.server = TestServer.start(
				List.of(WebTestApplication.class, SecurityHttpTests.Security.class, Handlers.class),
				TestServer.WITH_SECURITY);
	}

	@ParameterizedTest
	@ValueSource(strings = { "completes", "dispatches", "starts-another", "listens", "fails", "flushes" })
	void aTaskWhoseClientIsGoneHarmsNoOtherRequest(String kind) {
		Queue<String> harmed = new ConcurrentLinkedQueue<>();
		for (int round = 0; round < ROUNDS; round++) {
			Race.run(CLIENTS, () -> {
				String name = TestServer.newKey();
				RawClient.post(this.server, "/late/" + kind)
					.header("Idempotency-Key", name)
					.header("Authorization", SecurityHttpTests.basic("alice"))
					.header("Content-Length", "0")
					.sendAndHangUpAfter(ThreadLocalRandom.current().nextLong(LATEST_NANOS));
				for (int i = 0; i < 3; i++) {
					ask(name, harmed);
				}
				return name;
			});
		}
		assertThat(harmed).as("%d of %d", harmed.size(), ROUNDS * CLIENTS * 3).isEmpty();
	}

	private void ask(String name, Queue<String> harmed) {
		try {
			Answer answer = this.server.call("GET", "/neighbours/" + name)
				.header("Authorization", SecurityHttpTests.basic("bob"))
				.send();
			if (answer.status() != 200 || !answer.text().equals(name)) {
				harmed.add("%s".formatted(answer));
			}
		}
		catch (IllegalStateException ex) {
			harmed.add("%s".formatted(ex));
		}
	}

	@RestController
	static class Handlers {

		@GetMapping("/neighbours/{name}")
		String neighbour(@PathVariable String name) {
			pause(LATEST_NANOS / 4);
			return name;
		}

		@PostMapping("/late/{kind}")
		@Idempotent
		void late(HttpServletRequest request, @PathVariable String kind) {
			if (request.getAttribute("dispatched") != null) {
				return;
			}
			request.setAttribute("dispatched", true);
			AsyncContext async = request.startAsync();
			async.start(() -> {
				pause(ThreadLocalRandom.current().nextLong(LATEST_NANOS));
				write(async);
				pause(ThreadLocalRandom.current().nextLong(LATEST_NANOS));
				write(async);
				end(async, kind);
			});
		}

		private static void write(AsyncContext async) {
			try {
				async.getResponse().getOutputStream().write("text".getBytes(StandardCharsets.UTF_8));
				async.getResponse().flushBuffer();
			}
			catch (IOException ex) {
				// The client is gone
			}
		}

		private static void end(AsyncContext async, String kind) {
			switch (kind) {
				case "dispatches" -> async.dispatch();
				case "starts-another" -> async.start(async::complete);
				case "listens" -> {
					async.addListener(new Silent());
					async.setTimeout(async.getTimeout());
					async.complete();
				}
				case "fails" -> {
					async.complete();
					throw new IllegalStateException("The task has failed after its end");
				}
				case "flushes" -> {
					HttpServletResponse response = (HttpServletResponse) async.getResponse();
					try {
						response.flushBuffer();
						response.setHeader("X-Late", "late");
						response.setStatus(500);
						response.getWriter();
					}
					catch (IOException ex) {
						throw new IllegalArgumentException(ex);
					}
					finally {
						async.complete();
					}
				}
				default -> async.complete();
			}
		}

		private static void pause(long nanos) {
			LockSupport.parkNanos(nanos);
		}

	}

	static final class Silent implements AsyncListener {

		@Override
		public void onComplete(AsyncEvent event) {
		}

		@Override
		public void onTimeout(AsyncEvent event) {
		}

		@Override
		public void onError(AsyncEvent event) {
		}

		@Override
		public void onStartAsync(AsyncEvent event) {
		}

	}

}
