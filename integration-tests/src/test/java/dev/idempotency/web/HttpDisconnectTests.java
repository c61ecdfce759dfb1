package dev.idempotency.web;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.fixtures.LongRun;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Clients that hang up before they have seen the whole answer, and ask again.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpDisconnectTests implements Container.Choice {

	static final int PIECE = 16 * 1024;

	/**
	 * Who has read so much knows that the answer is on its way.
	 */
	private static final int BEGINNING = 1024;

	/**
	 * As many pieces are 3 MB, which are kept.
	 */
	private static final int LARGE = 192;

	/**
	 * As many are 5 MB, which are not.
	 */
	private static final int TOO_LARGE = 320;

	/**
	 * When a container notices that a client is gone depends on chance.
	 */
	private static final int ROUNDS = LongRun.choose(12, 1000);

	@AutoClose
	private TestServer server;

	private Gates gates;

	@BeforeAll
	void start() {
		this.server = serve(List.of(WebTestApplication.class, Endpoints.class, Gates.class));
		this.gates = this.server.bean(Gates.class);
	}

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return serve(sources, properties);
	}

	@ParameterizedTest
	@ValueSource(strings = { "entity", "callable", "deferred", "send-error" })
	void whoHangsUpWhileTheHandlerRunsGetsTheAnswerLater(String kind) {
		String key = TestServer.newKey();
		Wire wire = Wire.post(this.server, "/" + kind, key);
		this.gates.await(running(key));
		wire.hangUp();
		this.gates.open(goingOn(key));
		Answer retry = retry("/" + kind, key);
		assertThat(retry.isReplay()).as("%s", retry).isTrue();
		assertThat(retry.header("X-Receipt")).startsWith(key + " no. 1 ");
		assertThat(retry.status()).isEqualTo(kind.equals("send-error") ? 404 : 201);
		assertThatTheAnswerStays("/" + kind, key, retry);
	}

	@ParameterizedTest
	@ValueSource(strings = { "large/" + LARGE, "large-deferred/" + LARGE, "streaming/100", "streaming/1", "streaming/0",
			"void/100", "void/1", "void/0", "void-writer/100", "callable-writer/100", "callable-writer/1",
			"void-length/100", "streaming-length/100" })
	void whoHangsUpWhileTheAnswerIsSentGetsTheWholeAnswerLater(String kind) throws IOException {
		for (int round = 0; round < ROUNDS; round++) {
			String key = TestServer.newKey();
			hangUpInTheMiddle("/" + kind, key);
			Answer retry = retry("/" + kind, key);
			assertThat(retry.isReplay()).as("round %d: %s", round, retry).isTrue();
			assertThat(retry.status()).isEqualTo(200);
			assertThat(retry.text()).startsWith(key + " no. 1 ").endsWith("x the end");
			assertThat(retry.text().length())
				.isEqualTo(lengthOf(Integer.parseInt(kind.substring(kind.indexOf('/') + 1))));
			assertThatTheAnswerStays("/" + kind, key, retry);
		}
	}

	static int lengthOf(int pieces) {
		return PIECE * (1 + pieces) + " the end".length();
	}

	@ParameterizedTest
	@ValueSource(strings = { "streaming-late-head", "void-late-head" })
	void whoHangsUpBeforeTheHeadIsSentGetsTheWholeAnswerLater(String kind) {
		for (int round = 0; round < ROUNDS; round++) {
			String key = TestServer.newKey();
			Wire wire = Wire.post(this.server, "/" + kind, key);
			this.gates.await(running(key));
			wire.hangUp();
			this.gates.open(goingOn(key));
			Answer retry = retry("/" + kind, key);
			assertThat(retry.isReplay()).as("round %d: %s", round, retry).isTrue();
			assertThat(retry.text()).startsWith(key + " no. 1 ").endsWith("x the end");
			assertThatTheAnswerStays("/" + kind, key, retry);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "emitter/gives-up", "emitter/tells", "emitter/tells-otherwise", "emitter/goes-on",
			"sse/gives-up", "sse/tells", "sse/tells-otherwise", "sse/goes-on", "raw-async" })
	void whoHangsUpOnAHandlerThatIsToldSoDoesNotMakeItRunAgain(String kind) throws IOException {
		for (int round = 0; round < ROUNDS; round++) {
			String key = TestServer.newKey();
			hangUpInTheMiddle("/" + kind, key);
			Answer retry = retry("/" + kind, key);
			if (retry.isReplay()) {
				assertThat(retry.text()).startsWith(key + " no. 1 ").endsWith("x the end");
			}
			else {
				assertThat(retry).as("round %d", round).satisfies((it) -> it.assertProblem(409, "not-replayable"));
			}
			assertThatTheAnswerStays("/" + kind, key, retry);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "large/" + TOO_LARGE, "large-deferred/" + TOO_LARGE, "streaming/" + TOO_LARGE,
			"void/" + TOO_LARGE })
	void whoHangsUpOnAnAnswerThatIsTooLargeToKeepDoesNotMakeTheHandlerRunAgain(String kind) throws IOException {
		for (int round = 0; round < LongRun.choose(5, 200); round++) {
			String key = TestServer.newKey();
			hangUpInTheMiddle("/" + kind, key);
			Answer retry = retry("/" + kind, key);
			assertThat(retry).as("round %d", round).satisfies((it) -> it.assertProblem(409, "not-replayable"));
			assertThatTheAnswerStays("/" + kind, key, retry);
		}
	}

	private void hangUpInTheMiddle(String path, String key) throws IOException {
		Wire wire = Wire.post(this.server, path, key);
		wire.readHead();
		assertThat(wire.read(BEGINNING)).contains(key + " no. 1 ");
		wire.hangUp();
		this.gates.open(goingOn(key));
	}

	/**
	 * Asks again until the first request has come to its end.
	 */
	private Answer retry(String path, String key) {
		return await().atMost(Duration.ofSeconds(30))
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(10))
			.until(() -> this.server.post(path).key(key).send(),
					(answer) -> !answer.text().contains("urn:idempotency:in-progress"));
	}

	private void assertThatTheAnswerStays(String path, String key, Answer answer) {
		Answer again = this.server.post(path).key(key).send();
		assertThat(again.status()).isEqualTo(answer.status());
		assertThat(again.isReplay()).isEqualTo(answer.isReplay());
		assertThat(again.body()).isEqualTo(answer.body());
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	static String running(String key) {
		return key + " runs";
	}

	static String goingOn(String key) {
		return key + " goes on";
	}

	/**
	 * Handlers that go on when their client is gone.
	 */
	@RestController
	@Idempotent
	record Endpoints(Gates gates, Executions executions) {

		private String begin(IdempotencyContext context) {
			return this.executions.next(context.key().value()) + " ";
		}

		private void waitForTheClientToGo(IdempotencyContext context) {
			this.gates.open(running(context.key().value()));
			this.gates.await(goingOn(context.key().value()));
		}

		private static byte[] filled(String text, int length) {
			byte[] bytes = new byte[length];
			Arrays.fill(bytes, (byte) 'x');
			byte[] start = text.getBytes(StandardCharsets.UTF_8);
			System.arraycopy(start, 0, bytes, 0, start.length);
			return bytes;
		}

		private static byte[] end() {
			return " the end".getBytes(StandardCharsets.UTF_8);
		}

		@PostMapping("/entity")
		ResponseEntity<String> entity(IdempotencyContext context) {
			String receipt = begin(context);
			waitForTheClientToGo(context);
			return ResponseEntity.status(201).header("X-Receipt", receipt.strip()).body(receipt);
		}

		@PostMapping("/callable")
		Callable<ResponseEntity<String>> callable(IdempotencyContext context) {
			return () -> entity(context);
		}

		@PostMapping("/deferred")
		DeferredResult<ResponseEntity<String>> deferred(IdempotencyContext context) {
			DeferredResult<ResponseEntity<String>> result = new DeferredResult<>();
			Background.execute(() -> give(result, entity(context)));
			return result;
		}

		private static <T> void give(DeferredResult<T> result, T value) {
			try {
				result.setResult(value);
			}
			catch (IllegalStateException ex) {
				// The container has ended the request already
			}
		}

		@PostMapping("/send-error")
		void sendError(IdempotencyContext context, HttpServletResponse response) throws IOException {
			response.setHeader("X-Receipt", begin(context).strip());
			waitForTheClientToGo(context);
			response.sendError(404);
		}

		@PostMapping("/large/{pieces}")
		byte[] large(IdempotencyContext context, @PathVariable int pieces) {
			byte[] bytes = filled(begin(context), lengthOf(pieces));
			System.arraycopy(end(), 0, bytes, bytes.length - end().length, end().length);
			return bytes;
		}

		@PostMapping("/large-deferred/{pieces}")
		DeferredResult<byte[]> largeDeferred(IdempotencyContext context, @PathVariable int pieces) {
			DeferredResult<byte[]> result = new DeferredResult<>();
			Background.execute(() -> give(result, large(context, pieces)));
			return result;
		}

		@PostMapping("/streaming/{pieces}")
		StreamingResponseBody streaming(IdempotencyContext context, @PathVariable int pieces) {
			return (out) -> writePieces(context, pieces, out, () -> {
			});
		}

		@PostMapping("/streaming-length/{pieces}")
		ResponseEntity<StreamingResponseBody> streamingLength(IdempotencyContext context, @PathVariable int pieces) {
			return ResponseEntity.ok().contentLength(lengthOf(pieces)).body(streaming(context, pieces));
		}

		@PostMapping("/void/{pieces}")
		void writesItself(IdempotencyContext context, @PathVariable int pieces, HttpServletResponse response)
				throws IOException {
			writePieces(context, pieces, response.getOutputStream(), response::flushBuffer);
		}

		@PostMapping("/void-length/{pieces}")
		void voidLength(IdempotencyContext context, @PathVariable int pieces, HttpServletResponse response)
				throws IOException {
			response.setContentLengthLong(lengthOf(pieces));
			writePieces(context, pieces, response.getOutputStream(), response::flushBuffer);
		}

		private void writePieces(IdempotencyContext context, int pieces, OutputStream out, Flush flush)
				throws IOException {
			out.write(filled(begin(context), PIECE));
			flush.flush();
			waitForTheClientToGo(context);
			for (int piece = 0; piece < pieces; piece++) {
				out.write(filled("", PIECE));
				flush.flush();
			}
			out.write(end());
		}

		@PostMapping("/void-writer/{pieces}")
		void writesText(IdempotencyContext context, @PathVariable int pieces, PrintWriter writer) {
			writer.write(new String(filled(begin(context), PIECE), StandardCharsets.UTF_8));
			writer.flush();
			waitForTheClientToGo(context);
			for (int piece = 0; piece < pieces; piece++) {
				writer.write("x".repeat(PIECE));
				writer.flush();
			}
			writer.write(" the end");
		}

		@PostMapping("/callable-writer/{pieces}")
		Callable<Void> callableWriter(IdempotencyContext context, @PathVariable int pieces,
				HttpServletResponse response) {
			return () -> {
				writesText(context, pieces, response.getWriter());
				return null;
			};
		}

		@PostMapping("/streaming-late-head")
		StreamingResponseBody streamingLateHead(IdempotencyContext context, HttpServletResponse response) {
			return (out) -> writeLate(context, response, out);
		}

		@PostMapping("/void-late-head")
		void voidLateHead(IdempotencyContext context, HttpServletResponse response) throws IOException {
			writeLate(context, response, response.getOutputStream());
		}

		private void writeLate(IdempotencyContext context, HttpServletResponse response, OutputStream out)
				throws IOException {
			byte[] first = filled(begin(context), 100);
			waitForTheClientToGo(context);
			response.flushBuffer();
			for (byte next : first) {
				// Time for the container to clean up
				LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
				out.write(next);
			}
			out.write(end());
		}

		@PostMapping("/emitter/{habit}")
		ResponseBodyEmitter emitter(IdempotencyContext context, @PathVariable String habit) {
			ResponseBodyEmitter emitter = new ResponseBodyEmitter();
			Background.execute(() -> sendPieces(context, habit, emitter));
			return emitter;
		}

		@PostMapping("/sse/{habit}")
		SseEmitter sse(IdempotencyContext context, @PathVariable String habit) {
			SseEmitter emitter = new SseEmitter();
			Background.execute(() -> sendPieces(context, habit, emitter));
			return emitter;
		}

		private void sendPieces(IdempotencyContext context, String habit, ResponseBodyEmitter emitter) {
			try {
				emitter.send(new String(filled(begin(context), PIECE), StandardCharsets.UTF_8), MediaType.TEXT_PLAIN);
				waitForTheClientToGo(context);
				for (int piece = 0; piece < 100; piece++) {
					send(emitter, habit, "x".repeat(PIECE));
				}
				send(emitter, habit, " the end");
				end(emitter, habit, null);
			}
			catch (IOException ex) {
				end(emitter, habit, ex);
			}
			catch (IllegalStateException ex) {
				// Over HTTP/2, the container may have ended the request before it began
			}
		}

		private static void end(ResponseBodyEmitter emitter, String habit, @Nullable IOException failure) {
			try {
				switch ((failure != null) ? habit : "succeeds") {
					case "tells" -> emitter.completeWithError(Objects.requireNonNull(failure));
					case "tells-otherwise" -> emitter.completeWithError(new IllegalStateException("Lost", failure));
					default -> emitter.complete();
				}
			}
			catch (IllegalStateException ex) {
				// The container has ended the request already
			}
		}

		private static void send(ResponseBodyEmitter emitter, String habit, String text) throws IOException {
			try {
				emitter.send(text, MediaType.TEXT_PLAIN);
			}
			catch (IOException | IllegalStateException ex) {
				if (!habit.equals("goes-on")) {
					throw new IOException(ex);
				}
			}
		}

		@PostMapping("/raw-async")
		void rawAsync(IdempotencyContext context, HttpServletRequest request, HttpServletResponse response) {
			AsyncContext async = request.startAsync();
			Background.execute(() -> {
				try {
					writePieces(context, 100, response.getOutputStream(), response::flushBuffer);
					async.complete();
				}
				catch (IOException | IllegalStateException ex) {
					// The container has ended the request already
				}
			});
		}

		/**
		 * Sends what was written so far.
		 */
		@FunctionalInterface
		private interface Flush {

			void flush() throws IOException;

		}

	}

}
