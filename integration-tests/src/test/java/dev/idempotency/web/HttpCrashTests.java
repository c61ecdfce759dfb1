package dev.idempotency.web;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.OnCrash;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * An execution whose process died, or only seems to have: its lease is over, and another
 * one takes its key over.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpCrashTests implements Container.Choice {

	private static final Duration LEASE = Duration.ofSeconds(30);

	/**
	 * More than containers hold back where nobody can flush.
	 */
	static final String FIRST_PIECE = "first piece, ".repeat(2000);

	@AutoClose
	private final TestServer server = start(
			List.of(WebTestApplication.class, Endpoints.class, Gates.class, MovableStore.class),
			"idempotency.lease=" + LEASE.toSeconds() + "s");

	private final MovableStore store = this.server.bean(MovableStore.class);

	private final Gates gates = this.server.bean(Gates.class);

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return serve(sources, properties);
	}

	@Test
	void theNextAttemptRunsAndKnowsThatItIsNotTheFirst() {
		String key = TestServer.newKey();
		CompletableFuture<Answer> stalled = stall("/entity", key);
		end(key, 2);
		Answer second = this.server.post("/entity").key(key).send();
		assertThat(second.text()).startsWith("attempt 2, after a crash: true, ");
		assertThat(second.isReplay()).isFalse();
		assertThat(second.effect()).isEqualTo("executed");
		end(key, 1);
		assertThat(stalled.join().status()).isEqualTo(200);
	}

	@Test
	void theFirstAttemptKnowsThatItIsTheFirst() {
		String key = TestServer.newKey();
		end(key, 1);
		assertThat(this.server.post("/entity").key(key).send().text()).startsWith("attempt 1, after a crash: false, ");
	}

	@ParameterizedTest
	@ValueSource(strings = { "entity", "void", "callable", "deferred", "raw-async", "redirect", "send-error",
			"exception", "void-exception" })
	void anAttemptThatFinishesTooLateAnswersLikeTheOneThatTookItsKeyOver(String kind) {
		String key = TestServer.newKey();
		CompletableFuture<Answer> stalled = stall("/" + kind, key);
		end(key, 2);
		Answer winner = this.server.post("/" + kind).key(key).send();
		end(key, 1);
		Answer late = stalled.join();
		assertThat(late.isReplay()).as("%s", late).isTrue();
		assertThat(late.effect()).isEqualTo("noop");
		assertThat(late.status()).isEqualTo(winner.status());
		assertThat(late.body()).isEqualTo(winner.body());
		assertThat(late.lastingHeaders()).isEqualTo(winner.lastingHeaders());
		assertThat(late.header("X-Attempt")).isEqualTo("2");
		assertThat(late.headers()).doesNotContainKeys("X-Attempt-1", "Set-Cookie");
		assertThat(this.server.executions().of(key)).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "entity", "void", "callable", "deferred", "raw-async", "redirect", "send-error",
			"exception", "void-exception" })
	void anAttemptThatFinishesTooLateIsInProgressWhileTheOtherOneRuns(String kind) {
		String key = TestServer.newKey();
		CompletableFuture<Answer> stalled = stall("/" + kind, key);
		CompletableFuture<Answer> winner = sendAsync("/" + kind, key);
		this.gates.await(running(key, 2));
		end(key, 1);
		Answer late = stalled.join();
		late.assertProblem(409, "in-progress");
		assertThat(late.header("Retry-After")).isEqualTo("1");
		assertThat(late.headers()).doesNotContainKeys("X-Attempt", "X-Attempt-1", "Location", "Set-Cookie");
		end(key, 2);
		assertThat(winner.join().header("X-Attempt")).isEqualTo("2");
		Answer retry = this.server.post("/" + kind).key(key).send();
		assertThat(retry.isReplay()).isTrue();
		assertThat(retry.body()).isEqualTo(winner.join().body());
		assertThat(this.server.executions().of(key)).isEqualTo(2);
	}

	@Test
	void anAttemptThatFinishesTooLateCountsIfTheOtherOneHasFailed() {
		String key = TestServer.newKey();
		CompletableFuture<Answer> stalled = stall("/fails-second", key);
		end(key, 2);
		assertThat(this.server.post("/fails-second").key(key).send().status()).isEqualTo(500);
		end(key, 1);
		assertThat(stalled.join().text()).startsWith("attempt 1, ");
		Answer retry = this.server.post("/fails-second").key(key).send();
		assertThat(retry.isReplay()).isTrue();
		assertThat(retry.text()).startsWith("attempt 1, ");
		assertThat(this.server.executions().of(key)).isEqualTo(2);
	}

	@Test
	void anAttemptThatFinishesTooLateCountsIfNobodyElseTried() {
		String key = TestServer.newKey();
		CompletableFuture<Answer> stalled = stall("/entity", key);
		end(key, 1);
		assertThat(stalled.join().text()).startsWith("attempt 1, ");
		assertThat(stalled.join().isReplay()).isFalse();
		assertThat(this.server.post("/entity").key(key).send().isReplay()).isTrue();
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "void-flushed", "void-length", "streaming", "streaming-length", "emitter",
			"raw-async-flushed", "raw-async-length" })
	void anAnswerThatIsOnItsWayDoesNotComeToItsEndIfAnotherOneCounts(String kind) throws IOException {
		String key = TestServer.newKey();
		try (Wire stalled = Wire.post(this.server, "/" + kind, key)) {
			assertThat(stalled.readHead().status()).isEqualTo(200);
			assertThat(FIRST_PIECE).startsWith(stalled.read(FIRST_PIECE.length() / 4));
			this.gates.await(running(key, 1));
			this.store.passWithoutRenewal(LEASE);
			end(key, 2);
			Answer winner = this.server.post("/" + kind).key(key).send();
			assertThat(winner.text()).startsWith(FIRST_PIECE + "attempt 2, ");
			end(key, 1);
			assertThatIOException().isThrownBy(stalled::readToEnd).isNotInstanceOf(SocketTimeoutException.class);
			Answer retry = this.server.post("/" + kind).key(key).send();
			retry.assertReplayOf(winner);
		}
	}

	@Test
	void nothingRunsWhereNobodyMayGuessWhatBecameOfTheFirstAttempt() {
		String key = TestServer.newKey();
		CompletableFuture<Answer> stalled = stall("/refusing", key);
		for (int retry = 0; retry < 2; retry++) {
			Answer refused = this.server.post("/refusing").key(key).send();
			refused.assertProblem(409, "outcome-unknown");
		}
		assertThat(this.server.executions().of(key)).isEqualTo(1);
		end(key, 1);
		assertThat(stalled.join().text()).startsWith("attempt 1, ");
		assertThat(this.server.post("/refusing").key(key).send().isReplay()).isTrue();
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	/**
	 * Sends a request that hangs in its handler until its lease is over.
	 */
	private CompletableFuture<Answer> stall(String path, String key) {
		CompletableFuture<Answer> stalled = sendAsync(path, key);
		this.gates.await(running(key, 1));
		this.store.passWithoutRenewal(LEASE);
		return stalled;
	}

	private CompletableFuture<Answer> sendAsync(String path, String key) {
		return Background.start(() -> this.server.post(path).key(key).send());
	}

	private void end(String key, int attempt) {
		this.gates.open(ending(key, attempt));
	}

	static String running(String key, int attempt) {
		return "%s attempt %d runs".formatted(key, attempt);
	}

	static String ending(String key, int attempt) {
		return "%s attempt %d ends".formatted(key, attempt);
	}

	/**
	 * Handlers that tell which attempt they are, as soon as they are allowed to end.
	 */
	@RestController
	@Idempotent
	record Endpoints(Gates gates, Executions executions) {

		private static final int LENGTH = FIRST_PIECE.length() + 200;

		private String run(IdempotencyContext context) {
			String key = context.key().value();
			String receipt = this.executions.next(key);
			this.gates.open(running(key, context.attempt()));
			this.gates.await(ending(key, context.attempt()));
			return "attempt %d, after a crash: %s, %s".formatted(context.attempt(), context.mayHaveRun(), receipt);
		}

		private static void writeHead(IdempotencyContext context, HttpServletResponse response) {
			response.setHeader("X-Attempt", String.valueOf(context.attempt()));
			if (!context.mayHaveRun()) {
				response.setHeader("X-Attempt-1", "yes");
				response.addHeader("Set-Cookie", "attempt=1");
			}
		}

		private static void write(OutputStream out, String text) throws IOException {
			out.write(text.getBytes(StandardCharsets.UTF_8));
		}

		@PostMapping("/entity")
		ResponseEntity<String> entity(IdempotencyContext context, HttpServletResponse response) {
			writeHead(context, response);
			return ResponseEntity.ok(run(context));
		}

		@PostMapping("/refusing")
		@Idempotent(onCrash = OnCrash.REFUSE)
		String refusing(IdempotencyContext context) {
			return run(context);
		}

		@PostMapping("/fails-second")
		String failsSecond(IdempotencyContext context) {
			String text = run(context);
			if (context.mayHaveRun()) {
				throw new IllegalStateException("as planned");
			}
			return text;
		}

		@PostMapping("/void")
		void writesItself(IdempotencyContext context, HttpServletResponse response) throws IOException {
			writeHead(context, response);
			response.setContentType("text/plain");
			response.getWriter().print(run(context));
		}

		@PostMapping("/callable")
		Callable<String> callable(IdempotencyContext context, HttpServletResponse response) {
			return () -> {
				writeHead(context, response);
				return run(context);
			};
		}

		@PostMapping("/deferred")
		DeferredResult<String> deferred(IdempotencyContext context, HttpServletResponse response) {
			DeferredResult<String> result = new DeferredResult<>();
			writeHead(context, response);
			Background.execute(() -> result.setResult(run(context)));
			return result;
		}

		@PostMapping("/raw-async")
		void rawAsync(IdempotencyContext context, HttpServletRequest request, HttpServletResponse response) {
			AsyncContext async = request.startAsync();
			writeHead(context, response);
			Background.execute(() -> {
				try {
					write(async.getResponse().getOutputStream(), run(context));
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
				async.complete();
			});
		}

		@PostMapping("/redirect")
		void redirect(IdempotencyContext context, HttpServletResponse response) throws IOException {
			writeHead(context, response);
			response.sendRedirect("/elsewhere?receipt=" + run(context).hashCode());
		}

		@PostMapping("/send-error")
		void sendError(IdempotencyContext context, HttpServletResponse response) throws IOException {
			writeHead(context, response);
			response.sendError(404, run(context));
		}

		@PostMapping("/exception")
		String exception(IdempotencyContext context, HttpServletResponse response) {
			writeHead(context, response);
			throw new HandlerKinds.AdvisedException(run(context));
		}

		@PostMapping("/void-exception")
		void voidException(IdempotencyContext context, HttpServletResponse response) {
			writeHead(context, response);
			throw new HandlerKinds.AdvisedException(run(context));
		}

		@PostMapping("/void-flushed")
		void voidFlushed(IdempotencyContext context, HttpServletResponse response) throws IOException {
			write(response.getOutputStream(), FIRST_PIECE);
			response.flushBuffer();
			write(response.getOutputStream(), run(context));
			response.flushBuffer();
		}

		@PostMapping("/void-length")
		void voidLength(IdempotencyContext context, HttpServletResponse response) throws IOException {
			response.setContentLength(LENGTH);
			write(response.getOutputStream(), FIRST_PIECE);
			response.flushBuffer();
			write(response.getOutputStream(), filled(run(context)));
			response.flushBuffer();
		}

		private static String filled(String text) {
			return text + ".".repeat(LENGTH - FIRST_PIECE.length() - text.length());
		}

		@PostMapping("/streaming")
		StreamingResponseBody streaming(IdempotencyContext context) {
			return (out) -> {
				write(out, FIRST_PIECE);
				write(out, run(context));
			};
		}

		@PostMapping("/streaming-length")
		ResponseEntity<StreamingResponseBody> streamingLength(IdempotencyContext context) {
			return ResponseEntity.ok().contentLength(LENGTH).body((out) -> {
				write(out, FIRST_PIECE);
				write(out, filled(run(context)));
			});
		}

		@PostMapping("/emitter")
		ResponseBodyEmitter emitter(IdempotencyContext context) {
			ResponseBodyEmitter emitter = new ResponseBodyEmitter();
			Background.execute(() -> {
				try {
					emitter.send(FIRST_PIECE, MediaType.TEXT_PLAIN);
					emitter.send(run(context), MediaType.TEXT_PLAIN);
					emitter.complete();
				}
				catch (IOException ex) {
					emitter.completeWithError(ex);
				}
			});
			return emitter;
		}

		@PostMapping("/raw-async-flushed")
		void rawAsyncFlushed(IdempotencyContext context, HttpServletRequest request) {
			rawAsync(context, request.startAsync(), -1);
		}

		@PostMapping("/raw-async-length")
		void rawAsyncLength(IdempotencyContext context, HttpServletRequest request) {
			rawAsync(context, request.startAsync(), LENGTH);
		}

		private void rawAsync(IdempotencyContext context, AsyncContext async, int length) {
			Background.execute(() -> {
				try {
					if (length >= 0) {
						async.getResponse().setContentLength(length);
					}
					write(async.getResponse().getOutputStream(), FIRST_PIECE);
					async.getResponse().flushBuffer();
					String text = run(context);
					write(async.getResponse().getOutputStream(), (length >= 0) ? filled(text) : text);
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
				async.complete();
			});
		}

	}

}
