package dev.idempotency.web;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.test.FaultInjectingStore.Fault;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Answers that are on their way before they are complete, or too large to be kept.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpStreamingTests implements Container.Choice {

	private static final int LIMIT = 64 * 1024;

	/**
	 * More than a container holds back where nobody can flush: Tomcat does so twice over
	 * HTTP/2.
	 */
	static final int PIECE = 20 * 1024;

	@AutoClose
	private final TestServer server = start(
			List.of(WebTestApplication.class, Endpoints.class, Gates.class, MovableStore.class),
			"idempotency.http.max-response-body=" + LIMIT + "B");

	private final MovableStore store = this.server.bean(MovableStore.class);

	private final Gates gates = this.server.bean(Gates.class);

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return serve(sources, properties);
	}

	@AfterEach
	void mend() {
		this.store.mend();
	}

	@ParameterizedTest
	@ValueSource(strings = { "void", "void-length", "void-writer", "streaming", "streaming-length", "streaming-flushed",
			"emitter", "raw-async" })
	void theFirstPieceArrivesBeforeTheHandlerEnds(String kind) throws IOException {
		String key = TestServer.newKey();
		try (Wire wire = Wire.post(this.server, "/" + kind, key)) {
			assertThat(wire.readHead().status()).isEqualTo(200);
			assertThat(wire.header("Idempotency-Effect")).isEqualTo("executed");
			String first = wire.read(PIECE / 4);
			assertThat(first).startsWith(key + " no. 1 ");
			assertThat(this.server.post("/" + kind).key(key).send().text()).contains("urn:idempotency:in-progress");
			this.gates.open(key);
			String rest = wire.readToEnd();
			assertThat(rest).endsWith("x the end");
			assertThat(this.server.post("/" + kind).key(key).send()).satisfies((retry) -> {
				assertThat(retry.isReplay()).isTrue();
				assertThat(retry.text()).isEqualTo(first + rest);
			});
		}
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "sse", "void-events" })
	void anEventStreamFlowsAndIsNotKept(String kind) throws IOException {
		String key = TestServer.newKey();
		try (Wire wire = Wire.post(this.server, "/" + kind, key)) {
			assertThat(wire.readHead().header("Content-Type")).startsWith("text/event-stream");
			assertThat(wire.read(("data:" + key + " no. 1 ").length())).isEqualTo("data:" + key + " no. 1 ");
			assertThat(this.server.post("/" + kind).key(key).send().text()).contains("urn:idempotency:in-progress");
			this.gates.open(key);
			assertThat(wire.readToEnd()).endsWith("data: the end\n\n");
		}
		assertThatItIsNotReplayable("/" + kind, key);
	}

	@ParameterizedTest
	@ValueSource(strings = { "entity", "deferred", "void", "void-length", "void-writer", "streaming",
			"streaming-length", "emitter", "raw-async" })
	void anAnswerThatIsTooLargeReachesTheClientWholeAndIsNotKept(String kind) {
		String key = TestServer.newKey();
		this.gates.open(key);
		Answer first = this.server.post("/%s?size=%d".formatted(kind, LIMIT + 1)).key(key).send();
		assertThat(first.status()).isEqualTo(200);
		assertThat(first.effect()).isEqualTo("executed");
		assertThat(first.isReplay()).isFalse();
		assertThat(first.text()).startsWith(key + " no. 1 ").endsWith("x the end").hasSize(LIMIT + 1);
		assertThatItIsNotReplayable("/%s?size=%d".formatted(kind, LIMIT + 1), key);
	}

	@ParameterizedTest
	@ValueSource(strings = { "entity", "deferred", "void", "void-length", "void-writer", "streaming",
			"streaming-length", "emitter", "raw-async" })
	void anAnswerThatIsJustSmallEnoughIsKept(String kind) {
		String key = TestServer.newKey();
		this.gates.open(key);
		Answer first = this.server.post("/%s?size=%d".formatted(kind, LIMIT)).key(key).send();
		assertThat(first.text()).startsWith(key + " no. 1 ").endsWith("x the end").hasSize(LIMIT);
		Answer retry = this.server.post("/%s?size=%d".formatted(kind, LIMIT)).key(key).send();
		retry.assertReplayOf(first);
		assertThat(retry.lastingHeaders()).isEqualTo(first.lastingHeaders());
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(ints = { 2 * PIECE, LIMIT + 1 })
	void theClientDoesNotSeeTheLastByteOfAnAnnouncedLengthBeforeTheAnswerIsStored(int size) throws IOException {
		for (String kind : List.of("void-length", "streaming-length", "raw-async-length")) {
			String key = TestServer.newKey();
			this.gates.open(key);
			holdCompletion(key);
			try (Wire wire = Wire.post(this.server, "/%s?size=%d".formatted(kind, size), key)) {
				assertThat(wire.readHead().header("Content-Length")).isEqualTo(String.valueOf(size));
				wire.read(size - 1);
				this.gates.await(key + " is to be stored");
				assertThat(wire.isSilent()).as(kind).isTrue();
				this.gates.open(key + " may be stored");
				assertThat(wire.readToEnd()).isEqualTo("d");
			}
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 2 * PIECE, LIMIT + 1 })
	void theClientDoesNotSeeTheEndOfAStreamBeforeTheAnswerIsStored(int size) throws IOException {
		for (String kind : List.of("void", "void-writer", "streaming", "emitter", "raw-async")) {
			String key = TestServer.newKey();
			this.gates.open(key);
			holdCompletion(key);
			try (Wire wire = Wire.post(this.server, "/%s?size=%d".formatted(kind, size), key)) {
				wire.readHead();
				wire.read(size);
				this.gates.await(key + " is to be stored");
				assertThat(wire.isSilent()).as(kind).isTrue();
				this.gates.open(key + " may be stored");
				assertThat(wire.readToEnd()).isEmpty();
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "entity", "deferred", "void-unflushed", "send-error" })
	void theClientDoesNotSeeAnythingOfOtherAnswersBeforeTheyAreStored(String kind) throws IOException {
		String key = TestServer.newKey();
		holdCompletion(key);
		try (Wire wire = Wire.post(this.server, "/" + kind, key)) {
			this.gates.await(key + " is to be stored");
			assertThat(wire.isSilent()).isTrue();
			this.gates.open(key + " may be stored");
			assertThat(wire.readHead().status()).isEqualTo(kind.equals("send-error") ? 404 : 200);
			assertThat(wire.readToEnd()).isNotEmpty();
		}
	}

	@Test
	void anAnswerThatIsTooLargeIsNotKnownAsNotReplayableBeforeItHasEnded() throws IOException {
		String key = TestServer.newKey();
		String path = "/void?size=" + 3 * LIMIT;
		try (Wire wire = Wire.post(this.server, path, key)) {
			wire.readHead();
			wire.read(PIECE / 4);
			assertThat(this.server.post(path).key(key).send().text()).contains("urn:idempotency:in-progress");
			this.gates.open(key);
			wire.readToEnd();
		}
		assertThatItIsNotReplayable(path, key);
	}

	private void holdCompletion(String key) {
		this.store.plan((verb) -> {
			if (verb == StoreVerb.COMPLETE) {
				this.gates.open(key + " is to be stored");
				this.gates.await(key + " may be stored");
			}
			return Fault.NONE;
		});
	}

	private void assertThatItIsNotReplayable(String path, String key) {
		for (int retry = 0; retry < 2; retry++) {
			Answer answer = this.server.post(path).key(key).send();
			answer.assertProblem(409, "not-replayable");
		}
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	/**
	 * Handlers that send a piece and then wait until they are told to go on.
	 */
	@RestController
	@Idempotent
	record Endpoints(Gates gates, Executions executions) {

		private static final String END = " the end";

		private String begin(IdempotencyContext context, int size) {
			String start = this.executions.next(context.key().value()) + " ";
			return start + "x".repeat(size - start.length());
		}

		private String first(IdempotencyContext context) {
			return begin(context, PIECE);
		}

		private void waitToGoOn(IdempotencyContext context) {
			this.gates.await(context.key().value());
		}

		private static String rest(int size) {
			return "x".repeat(size - PIECE - END.length()) + END;
		}

		private static byte[] utf8(String text) {
			return text.getBytes(StandardCharsets.UTF_8);
		}

		@PostMapping("/entity")
		ResponseEntity<byte[]> entity(IdempotencyContext context, @RequestParam(defaultValue = "40000") int size) {
			return ResponseEntity.ok(utf8(begin(context, size - END.length()) + END));
		}

		@PostMapping("/deferred")
		DeferredResult<ResponseEntity<byte[]>> deferred(IdempotencyContext context,
				@RequestParam(defaultValue = "40000") int size) {
			DeferredResult<ResponseEntity<byte[]>> result = new DeferredResult<>();
			Background.execute(() -> result.setResult(entity(context, size)));
			return result;
		}

		@PostMapping("/void-unflushed")
		void voidUnflushed(IdempotencyContext context, OutputStream out) throws IOException {
			out.write(utf8(first(context)));
		}

		@PostMapping("/send-error")
		void sendError(IdempotencyContext context, HttpServletResponse response) throws IOException {
			first(context);
			response.sendError(404);
		}

		@PostMapping("/void")
		void writesItself(IdempotencyContext context, HttpServletResponse response,
				@RequestParam(defaultValue = "40000") int size) throws IOException {
			response.getOutputStream().write(utf8(first(context)));
			response.flushBuffer();
			waitToGoOn(context);
			response.getOutputStream().write(utf8(rest(size)));
			response.flushBuffer();
		}

		@PostMapping("/void-length")
		void voidLength(IdempotencyContext context, HttpServletResponse response,
				@RequestParam(defaultValue = "40000") int size) throws IOException {
			response.setContentLength(size);
			writesItself(context, response, size);
		}

		@PostMapping("/void-writer")
		void writesText(IdempotencyContext context, PrintWriter writer,
				@RequestParam(defaultValue = "40000") int size) {
			writer.print(first(context));
			writer.flush();
			waitToGoOn(context);
			writer.print(rest(size));
			writer.flush();
		}

		@PostMapping("/streaming")
		StreamingResponseBody streaming(IdempotencyContext context, @RequestParam(defaultValue = "40000") int size) {
			return (out) -> {
				out.write(utf8(first(context)));
				waitToGoOn(context);
				out.write(utf8(rest(size)));
			};
		}

		@PostMapping("/streaming-length")
		ResponseEntity<StreamingResponseBody> streamingLength(IdempotencyContext context,
				@RequestParam(defaultValue = "40000") int size) {
			return ResponseEntity.ok().contentLength(size).body(streaming(context, size));
		}

		@PostMapping("/streaming-flushed")
		StreamingResponseBody streamingFlushed(IdempotencyContext context, HttpServletResponse response,
				@RequestParam(defaultValue = "40000") int size) {
			return (out) -> writesItself(context, response, size);
		}

		@PostMapping("/emitter")
		ResponseBodyEmitter emitter(IdempotencyContext context, @RequestParam(defaultValue = "40000") int size) {
			ResponseBodyEmitter emitter = new ResponseBodyEmitter();
			Background.execute(() -> {
				try {
					emitter.send(first(context), MediaType.TEXT_PLAIN);
					waitToGoOn(context);
					emitter.send(rest(size), MediaType.TEXT_PLAIN);
					emitter.complete();
				}
				catch (IOException ex) {
					emitter.completeWithError(ex);
				}
			});
			return emitter;
		}

		@PostMapping("/sse")
		SseEmitter sse(IdempotencyContext context) {
			SseEmitter emitter = new SseEmitter();
			Background.execute(() -> {
				try {
					emitter.send(SseEmitter.event().data(this.executions.next(context.key().value())));
					waitToGoOn(context);
					emitter.send(SseEmitter.event().data(END));
					emitter.complete();
				}
				catch (IOException ex) {
					emitter.completeWithError(ex);
				}
			});
			return emitter;
		}

		@PostMapping("/void-events")
		void events(IdempotencyContext context, HttpServletResponse response) throws IOException {
			response.setContentType("text/event-stream");
			response.getWriter().print("data:" + this.executions.next(context.key().value()) + "\n\n");
			response.getWriter().flush();
			waitToGoOn(context);
			response.getWriter().print("data:" + END + "\n\n");
		}

		@PostMapping("/raw-async")
		void rawAsync(IdempotencyContext context, HttpServletRequest request, HttpServletResponse response,
				@RequestParam(defaultValue = "40000") int size) {
			AsyncContext async = request.startAsync();
			Background.execute(() -> {
				try {
					writesItself(context, response, size);
				}
				catch (IOException ex) {
					throw new IllegalStateException(ex);
				}
				async.complete();
			});
		}

		@PostMapping("/raw-async-length")
		void rawAsyncLength(IdempotencyContext context, HttpServletRequest request, HttpServletResponse response,
				@RequestParam(defaultValue = "40000") int size) {
			response.setContentLength(size);
			rawAsync(context, request, response, size);
		}

	}

}
