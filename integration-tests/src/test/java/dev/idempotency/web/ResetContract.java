package dev.idempotency.web;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import dev.idempotency.fixtures.LongRun;
import dev.idempotency.test.Race;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import org.springframework.context.annotation.Bean;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Clients that reset their connections at any moment harm nobody: neither those who ask
 * other handlers of the same container meanwhile, nor those who ask for the answer again.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ResetContract {

	/**
	 * Every kind of handler, those that end asynchronous processing themselves included.
	 */
	static final List<String> KINDS = Stream
		.concat(HttpContract.KINDS.stream().map((kind) -> kind.substring(0, kind.indexOf(' '))),
				Stream.of("sse", "raw-async", "rawest-async", "raw-pieces", "started"))
		.toList();

	/**
	 * Kinds whose handler is told that its client is gone, and may give up.
	 */
	private static final List<String> TOLD = List.of("emitter", "sse", "raw-async", "rawest-async", "raw-pieces",
			"started");

	/**
	 * Kinds whose answer does not say which execution it comes from.
	 */
	private static final List<String> SILENT = List.of("redirect", "see-other", "send-redirect", "no-content",
			"not-modified", "empty", "send-error", "status-exception", "annotated-exception", "deferred-error",
			"binary", "large", "text");

	private static final int CLIENTS = 8;

	private static final int RESETS = LongRun.choose(16, 1000);

	/**
	 * Longer than any handler takes, so that some are reset after their end.
	 */
	private static final long LATEST_NANOS = TimeUnit.MILLISECONDS.toNanos(12);

	private static final long WORK_NANOS = TimeUnit.MILLISECONDS.toNanos(6);

	@AutoClose
	private TestServer server;

	@BeforeAll
	void start() {
		this.server = start(List.of(WebTestApplication.class, Neighbours.class),
				"spring.main.allow-bean-definition-overriding=true");
	}

	/**
	 * Starts the application in the container of this test.
	 */
	abstract TestServer start(List<Class<?>> sources, String... properties);

	@ParameterizedTest
	@FieldSource("KINDS")
	void harmsNobody(String kind) {
		int before = this.server.executions().of(kind);
		Queue<String> harmed = new ConcurrentLinkedQueue<>();
		int keys = 0;
		while (keys < RESETS) {
			Race.run(CLIENTS, () -> {
				String key = TestServer.newKey();
				reset(kind, key);
				askOthers(harmed);
				askAgain(kind, key, harmed);
				return key;
			});
			keys += CLIENTS;
		}
		assertThat(harmed).isEmpty();
		assertThat(this.server.executions().of(kind) - before).as("executions").isEqualTo(keys);
	}

	private void reset(String kind, String key) {
		Wire wire = Wire.post(this.server, "/kinds/" + kind, key);
		LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LATEST_NANOS));
		wire.hangUp();
	}

	private void askOthers(Queue<String> harmed) {
		for (String neighbour : List.of("streaming", "whole", "streaming")) {
			String name = TestServer.newKey();
			try {
				Answer answer = this.server.call("GET", "/neighbours/%s/%s".formatted(neighbour, name)).send();
				if (answer.status() != 200 || !answer.text().equals("first|" + name)
						|| !answer.header("X-Name").equals(name)) {
					harmed.add("neighbour %s of %s: %s".formatted(neighbour, name, answer));
				}
			}
			catch (IllegalStateException ex) {
				harmed.add("neighbour %s: %s".formatted(neighbour, ex));
			}
		}
	}

	private void askAgain(String kind, String key, Queue<String> harmed) {
		try {
			// Handlers that are told of their client may fail as they like
			Answer answer = await().dontCatchUncaughtExceptions()
				.atMost(Duration.ofSeconds(30))
				.pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(2))
				.until(() -> this.server.post("/kinds/" + kind).key(key).send(),
						(it) -> !it.text().contains("urn:idempotency:in-progress"));
			Answer again = this.server.post("/kinds/" + kind).key(key).send();
			if (!isWhole(kind, answer) || !isReplay(kind, answer, again)) {
				harmed.add("answer of %s: %s, then %s".formatted(kind, answer, again));
			}
		}
		catch (IllegalStateException ex) {
			harmed.add("replay of %s: %s".formatted(kind, ex));
		}
	}

	/**
	 * An event stream is not stored. If the server never saw the request that was reset,
	 * the next one runs, and only its own retry is told so.
	 */
	private static boolean isReplay(String kind, Answer answer, Answer again) {
		return (again.status() == answer.status() && again.text().equals(answer.text()))
				|| (kind.equals("sse") && again.text().contains("urn:idempotency:not-replayable"));
	}

	private static boolean isWhole(String kind, Answer answer) {
		if (answer.text().contains("urn:idempotency:not-replayable")) {
			return TOLD.contains(kind);
		}
		int expected = HttpContract.KINDS.stream()
			.filter((it) -> it.startsWith(kind + " "))
			.mapToInt((it) -> Integer.parseInt(it.substring(kind.length() + 1)))
			.findFirst()
			.orElse(200);
		boolean named = SILENT.contains(kind) || answer.text().contains(kind + " no. ");
		return answer.status() == expected && named
				&& !(kind.equals("large") && answer.body().length != HandlerKinds.LARGE);
	}

	/**
	 * What others ask for, and nobody protects.
	 */
	@RestController
	static class Neighbours {

		/**
		 * Handlers that take a moment, so that a client can hang up in the middle.
		 */
		@Bean
		Executions executions() {
			return new Executions((handler) -> LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(WORK_NANOS)));
		}

		@GetMapping("/neighbours/streaming/{name}")
		ResponseEntity<StreamingResponseBody> streaming(@PathVariable String name) {
			return ResponseEntity.ok().header("X-Name", name).contentType(MediaType.TEXT_PLAIN).body((out) -> {
				out.write("first|".getBytes(StandardCharsets.UTF_8));
				out.flush();
				LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(WORK_NANOS));
				out.write(name.getBytes(StandardCharsets.UTF_8));
			});
		}

		@GetMapping("/neighbours/whole/{name}")
		ResponseEntity<String> whole(@PathVariable String name) {
			return ResponseEntity.ok().header("X-Name", name).body("first|" + name);
		}

	}

}
