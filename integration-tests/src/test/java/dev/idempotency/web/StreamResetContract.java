package dev.idempotency.web;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import dev.idempotency.fixtures.LongRun;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.filter.OncePerRequestFilter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Clients that hang up over HTTP/2: they reset a stream at any moment, and other requests
 * of the same connection go on.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class StreamResetContract implements Container.Choice {

	private static final int AT_ONCE = 8;

	private static final int ROUNDS = LongRun.choose(3, 600);

	/**
	 * Its work begins after it has sent something, or never.
	 */
	private static final String FAILS_EARLY = "/kinds/emitter";

	@AutoClose
	private TestServer server;

	@BeforeAll
	void start() {
		this.server = serve(
				List.of(WebTestApplication.class, HttpDisconnectTests.Endpoints.class, Gates.class, HoldsTasks.class),
				"idempotency.memory.max-size=1GB");
	}

	private static Stream<String> paths() {
		return Stream.concat(HttpContract.KINDS.stream()
			.map((kind) -> "/kinds/" + kind.substring(0, kind.indexOf(' ')))
			// The neighbour runs it too
			.filter((path) -> !path.equals("/kinds/large")),
				Stream.of("/entity", "/callable", "/deferred", "/send-error", "/large/60", "/large-deferred/60",
						"/streaming/60", "/streaming-length/60", "/void/60", "/void-writer/60", "/void-length/60",
						"/streaming-late-head", "/void-late-head", "/emitter/gives-up", "/emitter/tells",
						"/emitter/goes-on", "/sse/gives-up", "/sse/goes-on", "/raw-async", "/streaming/320"));
	}

	/**
	 * Whether the requests beside one that is reset are safe, with the library or
	 * without.
	 */
	abstract boolean neighboursAreSafe();

	@ParameterizedTest
	@MethodSource("paths")
	void whoResetsAStreamMakesNothingRunTwiceAndDisturbsNobody(String path) {
		for (int round = 0; round < ROUNDS; round++) {
			int before = executions(path);
			List<String> keys = Stream.generate(TestServer::newKey).limit(AT_ONCE).toList();
			keys.forEach(this::letRun);
			resetAtRandom(path, keys, 500 * (1 + round % 5));
			keys.forEach((key) -> assertThatTheAnswerStays(path, key));
			int executions = path.startsWith("/kinds/") ? executions(path) - before : sum(keys);
			if (path.equals(FAILS_EARLY)) {
				assertThat(executions).as("round %d", round).isLessThanOrEqualTo(AT_ONCE);
			}
			else {
				assertThat(executions).as("round %d", round).isEqualTo(AT_ONCE);
			}
		}
	}

	/**
	 * The container tells of the reset when the task has ended, and before its dispatch.
	 */
	@Test
	void whoResetsAStreamWhenItsTaskHasFailedGetsTheAnswerToItsFailure() {
		String path = "/kinds/callable-exception";
		int before = executions(path);
		String key = HoldsTasks.HELD + TestServer.newKey();
		try (Http2Connection connection = new Http2Connection(this.server)) {
			Http2Connection.Stream stream = connection.post(path, key);
			this.server.bean(Gates.class).await(HoldsTasks.ended(key));
			stream.reset();
			this.server.bean(Gates.class).await(HoldsTasks.reset(key));
		}
		assertThatTheAnswerStays(path, key);
		assertThat(ask(path, key).status()).isEqualTo(422);
		assertThat(executions(path) - before).isEqualTo(1);
	}

	private void resetAtRandom(String path, List<String> keys, int maxMicros) {
		try (Http2Connection connection = new Http2Connection(this.server)) {
			List<Http2Connection.Stream> streams = new ArrayList<>();
			for (String key : keys) {
				streams.add(connection.post(path, key));
			}
			Http2Connection.Stream neighbour = connection.post("/plain/large", "unused");
			for (Http2Connection.Stream stream : streams) {
				LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextInt(1, maxMicros)));
				stream.reset();
			}
			if (neighboursAreSafe()) {
				assertThat(neighbour.body()).hasSize(HandlerKinds.LARGE);
				assertThat(neighbour.status()).isEqualTo(200);
			}
		}
		catch (Exception ex) {
			// The container has closed the connection
			if (neighboursAreSafe()) {
				throw ex;
			}
		}
	}

	private int executions(String path) {
		return this.server.executions().of(path.substring(path.lastIndexOf('/') + 1));
	}

	private int sum(List<String> keys) {
		return keys.stream().mapToInt((key) -> this.server.executions().of(key)).sum();
	}

	/**
	 * Handlers that wait for their client to go do not have to.
	 */
	private void letRun(String key) {
		this.server.bean(Gates.class).open(HttpDisconnectTests.goingOn(key));
	}

	private void assertThatTheAnswerStays(String path, String key) {
		Answer retry = await().atMost(Duration.ofSeconds(40))
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(5))
			.until(() -> ask(path, key), (answer) -> !answer.text().contains("urn:idempotency:in-progress"));
		Answer again = ask(path, key);
		if (again.isReplay()) {
			assertThat(again.status()).isEqualTo(retry.status());
			assertThat(again.body()).isEqualTo(retry.body());
		}
		else {
			again.assertProblem(409, "not-replayable");
		}
	}

	/**
	 * Asks once more if the container has ended this request for one that was reset.
	 */
	private Answer ask(String path, String key) {
		return await().atMost(Duration.ofSeconds(10))
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(5))
			.until(() -> this.server.post(path).key(key).send(),
					(answer) -> neighboursAreSafe() || answer.status() != 500 || answer.body().length > 0);
	}

	/**
	 * Holds the end of a task, which the library has seen, until its stream is reset.
	 */
	static class HoldsTasks extends OncePerRequestFilter implements CallableProcessingInterceptor {

		private static final String HELD = "held-";

		private final Gates gates;

		HoldsTasks(Gates gates) {
			this.gates = gates;
		}

		private static String ended(String key) {
			return key + " has ended";
		}

		private static String reset(String key) {
			return key + " is reset";
		}

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws IOException, ServletException {
			if (keyOf(request).startsWith(HELD)) {
				// The first to be registered is the last to see the end
				WebAsyncUtils.getAsyncManager(request).registerCallableInterceptor(this, this);
			}
			chain.doFilter(request, response);
		}

		@Override
		public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object result) {
			String key = keyOf(request.getNativeRequest(HttpServletRequest.class));
			this.gates.open(ended(key));
			this.gates.await(reset(key));
		}

		@Override
		public <T> Object handleError(NativeWebRequest request, Callable<T> task, Throwable failure) {
			this.gates.open(reset(keyOf(request.getNativeRequest(HttpServletRequest.class))));
			return RESULT_NONE;
		}

		private static String keyOf(@Nullable HttpServletRequest request) {
			String key = (request != null) ? request.getHeader("Idempotency-Key") : null;
			return (key != null) ? key : "";
		}

	}

}
