package dev.idempotency.web;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.http.ScopeResolver;
import jakarta.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Event streams that have an end, and are stored.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StoredEventsTests implements Container.Choice {

	private static final int LIMIT = 64 * 1024;

	private static final int ROUNDS = 5;

	private static final String END = "data:the end\n\n";

	@AutoClose
	private TestServer server;

	private Gates gates;

	@BeforeAll
	void start() {
		this.server = start(
				List.of(WebTestApplication.class, Endpoints.class, Routes.class, Users.class, Script.class,
						Gates.class),
				"idempotency.http.max-response-body=" + LIMIT + "B",
				"idempotency.encryption.key=" + "A".repeat(43) + "=", "idempotency.compression.threshold=1KB",
				"idempotency.operations.[POST /named/{then}].store-events=true",
				"idempotency.operations.[POST /switched-off/{then}].store-events=false");
		this.gates = this.server.bean(Gates.class);
	}

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return serve(sources, properties);
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "sse", "emitter", "flux", "flux-text", "flux-entity", "streaming", "void", "route", "named" })
	void theFirstEventArrivesBeforeTheLastAndARetryGetsAll(String kind) throws IOException {
		String key = TestServer.newKey();
		String path = "/" + kind + "/ends";
		try (Wire wire = Wire.post(this.server, path, key)) {
			assertThat(wire.readHead().header("Content-Type")).startsWith("text/event-stream");
			String first = wire.read(("data:" + key + " no. 1 ").length());
			assertThat(first).isEqualTo("data:" + key + " no. 1 ");
			this.server.post(path).key(key).send().assertInProgress();
			this.gates.open(Script.goingOn(key));
			String rest = wire.readToEnd();
			assertThat(rest).endsWith(END);
			Answer retry = this.server.post(path).key(key).header("Last-Event-ID", "1").send();
			assertThat(retry.isReplay()).as("%s", retry).isTrue();
			assertThat(retry.text()).isEqualTo(first + rest);
			assertThat(retry.header("Content-Type")).isEqualTo(wire.header("Content-Type"));
			assertThat(retry.effect()).isEqualTo("noop");
		}
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "sse", "emitter", "flux", "flux-text", "flux-entity", "streaming", "void", "route" })
	void whoHangsUpInTheMiddleGetsAllEventsLater(String kind) throws IOException {
		for (int round = 0; round < ROUNDS; round++) {
			String key = TestServer.newKey();
			hangUpInTheMiddle("/" + kind + "/goes-on", key);
			assertThatARetryGetsAll("/" + kind + "/goes-on", key);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "sse", "emitter", "flux", "flux-text", "flux-entity", "streaming", "void", "route" })
	void whoHangsUpBeforeTheFirstEventGetsAllEventsLater(String kind) {
		for (int round = 0; round < ROUNDS; round++) {
			String key = TestServer.newKey();
			Wire wire = Wire.post(this.server, "/" + kind + "/is-late", key);
			this.gates.await(Script.running(key));
			wire.hangUp();
			this.gates.open(Script.goingOn(key));
			assertThatARetryGetsAll("/" + kind + "/is-late", key);
		}
	}

	private void hangUpInTheMiddle(String path, String key) throws IOException {
		Wire wire = Wire.post(this.server, path, key);
		wire.readHead();
		assertThat(wire.read(("data:" + key).length())).isEqualTo("data:" + key);
		wire.hangUp();
		this.gates.open(Script.goingOn(key));
	}

	private void assertThatARetryGetsAll(String path, String key) {
		Answer retry = settled(path, key);
		assertThat(retry.isReplay()).as("%s", retry).isTrue();
		assertThat(retry.text()).startsWith("data:" + key + " no. 1 ").endsWith(END);
		assertThat(retry.text().split("\n\n")).hasSize(2 + Script.MANY);
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "sse", "flux", "streaming", "void", "route" })
	void aStreamThatIsTooLargeReachesItsClientAndIsNotStored(String kind) throws IOException {
		String key = TestServer.newKey();
		String path = "/" + kind + "/is-too-large";
		try (Wire wire = Wire.post(this.server, path, key)) {
			wire.readHead();
			wire.read(10);
			this.gates.open(Script.goingOn(key));
			assertThat(wire.readToEnd()).endsWith(END).hasSizeGreaterThan(LIMIT);
		}
		this.server.post(path).key(key).send().assertProblem(409, "not-replayable");
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "sse", "flux", "streaming", "void", "route" })
	void aStreamThatIsTooLargeAndHasLostItsClientDoesNotRunAgain(String kind) throws IOException {
		for (int round = 0; round < ROUNDS; round++) {
			String key = TestServer.newKey();
			String path = "/" + kind + "/is-too-large";
			hangUpInTheMiddle(path, key);
			settled(path, key).assertProblem(409, "not-replayable");
			assertThat(this.server.executions().of(key)).isEqualTo(1);
		}
	}

	/**
	 * It does not know that it need not go on, and tells nobody that it has stopped.
	 */
	@Test
	void anEmitterThatIsNeverCompletedDoesNotKeepItsKeyWhenItIsTooLarge() throws IOException {
		for (int round = 0; round < ROUNDS; round++) {
			String key = TestServer.newKey();
			hangUpInTheMiddle("/silent/is-too-large", key);
			settled("/silent/is-too-large", key).assertProblem(409, "not-replayable");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "sse", "flux", "streaming", "void", "route" })
	void aStreamThatFailsInTheMiddleRunsAgain(String kind) throws IOException {
		for (String failure : List.of("fails", "times-out")) {
			String key = TestServer.newKey();
			String path = "/" + kind + "/" + failure;
			try (Wire wire = Wire.post(this.server, path, key)) {
				wire.readHead();
				assertThat(wire.read(10)).startsWith("data:");
				this.gates.open(Script.goingOn(key));
				readWhatComes(wire);
			}
			Answer retry = settled(path, key);
			assertThat(retry.isReplay()).as("%s", retry).isFalse();
			assertThat(retry.text()).startsWith("data:" + key + " no. 2 ")
				.contains(failure.equals("fails") ? "attempt 1" : "attempt 2")
				.endsWith(END);
			this.server.post(path).key(key).send().assertReplayOf(retry);
		}
	}

	private static void readWhatComes(Wire wire) {
		try {
			wire.readToEnd();
		}
		catch (IOException ex) {
			// The server has broken it off
		}
	}

	@Test
	void aClientThatReturnsMeanwhileMayWaitForAllEvents() throws IOException {
		String key = TestServer.newKey();
		try (Wire wire = Wire.post(this.server, "/waiting/ends", key)) {
			wire.readHead();
			wire.read(10);
			CompletableFuture<Answer> twin = Background.start(() -> this.server.post("/waiting/ends").key(key).send());
			this.gates.open(Script.goingOn(key));
			wire.readToEnd();
			assertThat(twin.join().isReplay()).isTrue();
			assertThat(twin.join().text()).startsWith("data:" + key + " no. 1 ").endsWith(END);
		}
	}

	@Test
	void anotherUserWithTheSameKeyGetsEventsOfTheirOwn() {
		String key = TestServer.newKey();
		this.gates.open(Script.goingOn(key));
		Answer one = this.server.post("/sse/ends").key(key).header("X-User", "one").send();
		Answer two = this.server.post("/sse/ends").key(key).header("X-User", "two").send();
		assertThat(one.text()).contains("no. 1");
		assertThat(two.isReplay()).isFalse();
		assertThat(two.text()).contains("no. 2");
		this.server.post("/sse/ends").key(key).header("X-User", "one").send().assertReplayOf(one);
	}

	@Test
	void aDryRunSendsNoEvents() {
		String key = TestServer.newKey();
		Answer answer = this.server.post("/sse/ends").key(key).header("Idempotency-Dry-Run", "?1").send();
		assertThat(answer.effect()).isEqualTo("would_execute");
		assertThat(this.server.executions().of(key)).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "unstored", "switched-off" })
	void othersAreNotStored(String kind) {
		String key = TestServer.newKey();
		this.gates.open(Script.goingOn(key));
		assertThat(this.server.post("/" + kind + "/ends").key(key).send().text()).endsWith(END);
		this.server.post("/" + kind + "/ends").key(key).send().assertProblem(409, "not-replayable");
	}

	private Answer settled(String path, String key) {
		return settled(this.server, path, key);
	}

	static Answer settled(TestServer server, String path, String key) {
		return await().atMost(Duration.ofSeconds(30))
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(10))
			.until(() -> server.post(path).key(key).send(),
					(answer) -> !answer.text().contains("urn:idempotency:in-progress"));
	}

	/**
	 * What the handlers of all kinds send.
	 */
	static final class Script {

		static final int MANY = 60;

		private final Gates gates;

		private final Executions executions;

		Script(Gates gates, Executions executions) {
			this.gates = gates;
			this.executions = executions;
		}

		static String running(String key) {
			return key + " runs";
		}

		static String goingOn(String key) {
			return key + " goes on";
		}

		Flux<String> events(IdempotencyContext context, String then) {
			String key = context.key().value();
			int attempt = context.attempt();
			Flux<String> first = Flux.defer(() -> Flux.just(this.executions.next(key) + " attempt " + attempt));
			Flux<String> gate = Flux.defer(() -> {
				this.gates.open(running(key));
				return this.gates.passing(goingOn(key));
			}).thenMany(Flux.empty());
			return (then.equals("is-late") ? Flux.concat(gate, first) : Flux.concat(first, gate))
				.concatWith(rest(key, then))
				.concatWithValues("the end");
		}

		private Flux<String> rest(String key, String then) {
			return Flux.defer(() -> switch (then) {
				case "is-late", "goes-on" -> Flux.range(0, MANY).map((number) -> "x".repeat(500));
				case "is-too-large" -> Flux.range(0, LIMIT / 500).map((number) -> "x".repeat(500));
				case "fails" -> fail(key, new IllegalStateException("in the middle"));
				case "times-out" -> fail(key, new SocketTimeoutException("in the middle"));
				default -> Flux.empty();
			});
		}

		private Flux<String> fail(String key, Exception failure) {
			return (this.executions.of(key) > 1) ? Flux.empty() : Flux.error(failure);
		}

		/**
		 * Sends the events on the current thread.
		 */
		void send(IdempotencyContext context, String then, Sender sender) throws IOException {
			for (String event : events(context, then).toIterable(1)) {
				sender.send("data:" + event + "\n\n");
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Users {

		@Bean
		ScopeResolver users() {
			return ScopeResolver.principalAndTenant((request) -> String.join("", request.headers("X-User")));
		}

	}

	/**
	 * Sends an event.
	 */
	@FunctionalInterface
	interface Sender {

		void send(String event) throws IOException;

	}

	@Configuration(proxyBeanMethods = false)
	static class Routes {

		@Bean
		RouterFunction<ServerResponse> events(IdempotencyRouteFilter idempotency, Script script) {
			return RouterFunctions.route().POST("/route/{then}", (request) -> {
				IdempotencyContext context = IdempotencyContext.current();
				return ServerResponse
					.sse((builder) -> Background.execute(() -> send(script, context, request, builder)));
			}).filter(idempotency.withStoredEvents()).build();
		}

		private static void send(Script script, IdempotencyContext context, ServerRequest request,
				ServerResponse.SseBuilder builder) {
			try {
				for (String event : script.events(context, request.pathVariable("then")).toIterable(1)) {
					builder.data(event);
				}
				builder.complete();
			}
			catch (IOException | RuntimeException ex) {
				builder.error(ex);
			}
		}

	}

	@RestController
	record Endpoints(Script script) {

		private <E extends ResponseBodyEmitter> E start(E emitter, IdempotencyContext context, String then,
				Consumer<Exception> failed) {
			Background.execute(() -> {
				try {
					if (emitter instanceof SseEmitter sse) {
						for (String event : this.script.events(context, then).toIterable(1)) {
							sse.send(SseEmitter.event().data(event));
						}
					}
					else {
						this.script.send(context, then, (event) -> emitter.send(event, MediaType.TEXT_PLAIN));
					}
					emitter.complete();
				}
				catch (IOException | RuntimeException ex) {
					fail(failed, ex);
				}
			});
			return emitter;
		}

		private static void fail(Consumer<Exception> failed, Exception ex) {
			try {
				failed.accept(ex);
			}
			catch (IllegalStateException late) {
				// The container has ended the request already
			}
		}

		@PostMapping("/sse/{then}")
		@Idempotent(storeEvents = true)
		SseEmitter sse(IdempotencyContext context, @PathVariable String then) {
			SseEmitter emitter = new SseEmitter();
			return start(emitter, context, then, emitter::completeWithError);
		}

		@PostMapping("/waiting/{then}")
		@Idempotent(storeEvents = true, onConflict = OnConflict.WAIT)
		SseEmitter waiting(IdempotencyContext context, @PathVariable String then) {
			return sse(context, then);
		}

		@PostMapping("/silent/{then}")
		@Idempotent(storeEvents = true)
		SseEmitter silent(IdempotencyContext context, @PathVariable String then) {
			return start(new SseEmitter(0L), context, then, (ex) -> {
			});
		}

		@PostMapping({ "/unstored/{then}", "/named/{then}" })
		@Idempotent
		SseEmitter unstored(IdempotencyContext context, @PathVariable String then) {
			return sse(context, then);
		}

		@PostMapping("/switched-off/{then}")
		@Idempotent(storeEvents = true)
		SseEmitter switchedOff(IdempotencyContext context, @PathVariable String then) {
			return sse(context, then);
		}

		@PostMapping("/emitter/{then}")
		@Idempotent(storeEvents = true)
		ResponseEntity<ResponseBodyEmitter> emitter(IdempotencyContext context, @PathVariable String then) {
			ResponseBodyEmitter emitter = new ResponseBodyEmitter();
			return ResponseEntity.ok()
				.contentType(MediaType.TEXT_EVENT_STREAM)
				.body(start(emitter, context, then, emitter::completeWithError));
		}

		@PostMapping("/flux/{then}")
		@Idempotent(storeEvents = true)
		Flux<ServerSentEvent<String>> flux(IdempotencyContext context, @PathVariable String then) {
			return this.script.events(context, then).map((event) -> ServerSentEvent.builder(event).build());
		}

		@PostMapping(path = "/flux-text/{then}", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
		@Idempotent(storeEvents = true)
		Flux<String> fluxText(IdempotencyContext context, @PathVariable String then) {
			return this.script.events(context, then);
		}

		@PostMapping("/flux-entity/{then}")
		@Idempotent(storeEvents = true)
		ResponseEntity<Flux<String>> fluxEntity(IdempotencyContext context, @PathVariable String then) {
			return ResponseEntity.ok().contentType(MediaType.TEXT_EVENT_STREAM).body(this.script.events(context, then));
		}

		@PostMapping("/streaming/{then}")
		@Idempotent(storeEvents = true)
		ResponseEntity<StreamingResponseBody> streaming(IdempotencyContext context, @PathVariable String then) {
			return ResponseEntity.ok()
				.contentType(MediaType.TEXT_EVENT_STREAM)
				.body((out) -> this.script.send(context, then, (event) -> {
					// Nobody can flush it, so a comment fills the buffers
					String filled = event.contains(" no. ") ? event + ":" + "x".repeat(HttpStreamingTests.PIECE) + "\n"
							: event;
					out.write(filled.getBytes(StandardCharsets.UTF_8));
				}));
		}

		@PostMapping("/void/{then}")
		@Idempotent(storeEvents = true)
		void writesItself(IdempotencyContext context, @PathVariable String then, HttpServletResponse response)
				throws IOException {
			response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE);
			this.script.send(context, then, (event) -> {
				response.getWriter().print(event);
				response.getWriter().flush();
			});
		}

	}

}
