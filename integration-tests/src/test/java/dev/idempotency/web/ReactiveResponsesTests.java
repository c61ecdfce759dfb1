package dev.idempotency.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.webflux.ReactiveIdempotencyRouteFilter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.server.RenderingResponse;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.result.view.AbstractView;
import org.springframework.web.reactive.result.view.Fragment;
import org.springframework.web.reactive.result.view.FragmentsRendering;
import org.springframework.web.reactive.result.view.Rendering;
import org.springframework.web.reactive.result.view.View;
import org.springframework.web.reactive.result.view.ViewResolver;
import org.springframework.web.server.ServerWebExchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Responses of WebFlux that cannot be written, are large, or never end.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReactiveResponsesTests {

	@TempDir
	static Path folder;

	@AutoClose
	private final TestServer server = Reactive.start(
			List.of(WebTestApplication.class, Gates.class, Handlers.class, Views.class),
			"spring.http.codecs.max-in-memory-size=2KB", "idempotency.http.max-response-body=100KB",
			"spring.thymeleaf.excluded-view-names=missing");

	private final Gates gates = this.server.bean(Gates.class);

	private final Handlers handlers = this.server.bean(Handlers.class);

	private int runs(String key) {
		return this.server.executions().of(key);
	}

	private Answer post(String path, String key) {
		return this.server.post(path).key(key).send();
	}

	// What cannot be written

	@ParameterizedTest
	@ValueSource(strings = { "/route/no-writer", "/route/missing-view", "/route/awkward", "/route/awkward-mono",
			"/no-writer", "/missing-view", "/awkward" })
	void aHandlerWhoseResponseCannotBeWrittenRunsOnce(String path) {
		String key = TestServer.newKey();
		Answer first = post(path, key);
		assertThat(first.status()).as("%s", first).isGreaterThanOrEqualTo(400);
		Answer second = post(path, key);
		assertThat(post(path, key).status()).isEqualTo(second.status());
		assertThat(runs(key)).isEqualTo(1);
	}

	/**
	 * Its body is a part of the handler.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "/route/failing-body", "/model/string", "/model/argument", "/model/map",
			"/model/fragments", "/model/rendering", "/route/model" })
	void aHandlerWhoseValueFailsRunsAgain(String path) {
		String key = TestServer.newKey();
		Answer first = post(path, key);
		assertThat(first.status()).as("%s", first).isEqualTo(500);
		Answer second = post(path, key);
		assertThat(second.status()).as("%s", second).isEqualTo(200);
		assertThat(second.effect()).isEqualTo("executed");
		post(path, key).assertReplayOf(second);
		assertThat(runs(key)).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/text", "/mono", "/route/text" })
	void aBodyOverTheLimitOfSpringIsNotStored(String path) {
		String key = TestServer.newKey();
		for (int i = 0; i < 2; i++) {
			Answer answer = this.server.post(path).key(key).body("text/plain", "x".repeat(5000)).send();
			// Spring has no response for a route that reads too much
			assertThat(answer.status()).as("%s", answer).isEqualTo(path.startsWith("/route") ? 500 : 413);
			assertThat(answer.isReplay()).isFalse();
			assertThat(answer.effect()).isNotEqualTo("executed");
		}
		assertThat(runs(key)).isZero();
	}

	// Streams

	@Test
	void anEventStreamWithoutAFirstEventIsCancelled() {
		int count = 20;
		int before = this.handlers.cancelled.get();
		List<String> keys = Stream.generate(TestServer::newKey).limit(count).toList();
		keys.forEach((key) -> {
			Wire wire = Wire.post(this.server, "/silent", key);
			this.gates.await(key + " runs");
			wire.hangUp();
		});
		await().untilAsserted(() -> assertThat(this.handlers.cancelled).hasValue(before + count));
		keys.forEach((key) -> await().until(() -> post("/silent", key).text(),
				(text) -> text.contains("urn:idempotency:not-replayable")));
	}

	@Test
	void anEventStreamThatNeverBeginsIsCancelled() {
		String key = TestServer.newKey();
		int before = this.handlers.cancelled.get();
		Wire wire = Wire.post(this.server, "/silent-void", key);
		this.gates.await(key + " runs");
		wire.hangUp();
		await().untilAsserted(() -> assertThat(this.handlers.cancelled).hasValue(before + 1));
	}

	@Test
	void whatIsFlushedTogetherIsSentBeforeItIsComplete() throws IOException {
		String key = TestServer.newKey();
		try (Wire wire = Wire.post(this.server, "/group", key)) {
			wire.readHead();
			assertThat(wire.read(5)).isEqualTo("first");
			this.gates.open(key);
			assertThat(wire.readToEnd()).isEqualTo("second");
		}
		assertThat(post("/group", key).text()).isEqualTo("firstsecond");
		assertThat(runs(key)).isEqualTo(1);
	}

	@Test
	void aGroupGoesOnWithoutItsClient() throws IOException {
		String key = TestServer.newKey();
		Wire wire = Wire.post(this.server, "/group", key);
		wire.readHead();
		wire.read(5);
		wire.hangUp();
		this.gates.open(key);
		assertThat(await().until(() -> post("/group", key), (answer) -> answer.status() == 200).text())
			.isEqualTo("firstsecond");
		assertThat(runs(key)).isEqualTo(1);
	}

	// Files

	@Test
	void aFileIsSentWithoutACopyUnlessItIsStored() throws IOException {
		Files.write(folder.resolve("file"), "x".repeat(10_000).getBytes(StandardCharsets.UTF_8));
		String key = TestServer.newKey();
		assertThat(this.server.post("/plain-file").send().text()).hasSize(10_000);
		assertThat(this.handlers.zeroCopy).isTrue();
		Answer first = post("/file", key);
		assertThat(first.text()).hasSize(10_000);
		post("/file", key).assertReplayOf(first);
		assertThat(runs(key)).isEqualTo(1);
	}

	// Errors

	@ParameterizedTest
	@ValueSource(strings = { "/fatal", "/fatal-elsewhere" })
	void anErrorThatReactorThrowsEndsTheClaim(String path) {
		String key = TestServer.newKey();
		Wire wire = Wire.post(this.server, path, key);
		this.gates.await(key + " runs");
		wire.hangUp();
		Answer retry = await().atMost(Duration.ofSeconds(40)).pollInterval(Duration.ofMillis(100)).until(() -> {
			System.gc();
			return post(path, key);
		}, (answer) -> answer.status() != 409);
		assertThat(retry.status()).as("%s", retry).isEqualTo(200);
		assertThat(retry.text()).endsWith(" attempt 2");
		assertThat(runs(key)).isEqualTo(2);
	}

	/**
	 * Cannot be written as JSON.
	 */
	record Awkward(String good) {

		public String getBad() {
			if (!this.good.isEmpty()) {
				throw new IllegalStateException("bad");
			}
			return this.good;
		}

	}

	@RestController
	static class Handlers {

		private final Executions executions;

		private final Gates gates;

		private final AtomicInteger cancelled = new AtomicInteger();

		private volatile boolean zeroCopy;

		Handlers(Executions executions, Gates gates) {
			this.executions = executions;
			this.gates = gates;
		}

		private Mono<String> run(String key) {
			return Mono.fromCallable(() -> this.executions.next(key));
		}

		private Mono<String> failsOnce(String key) {
			int number = this.executions.of(key);
			return Mono.defer(() -> (number == 1) ? Mono.error(new IllegalStateException("as planned"))
					: Mono.just("number " + number));
		}

		@Idempotent
		@PostMapping("/no-writer")
		ResponseEntity<Awkward> noWriter(IdempotencyContext context) {
			return ResponseEntity.ok()
				.contentType(MediaType.valueOf("text/csv"))
				.body(new Awkward(this.executions.next(context.key().value())));
		}

		@Idempotent
		@PostMapping("/awkward")
		Mono<Awkward> awkward(IdempotencyContext context) {
			return run(context.key().value()).map(Awkward::new);
		}

		@Idempotent
		@PostMapping("/text")
		String text(@RequestBody String text, IdempotencyContext context) {
			return this.executions.next(context.key().value()) + text.length();
		}

		@Idempotent
		@PostMapping("/mono")
		Mono<String> mono(@RequestBody Mono<String> text, IdempotencyContext context) {
			return text.map((it) -> this.executions.next(context.key().value()) + it.length());
		}

		@Bean
		RouterFunction<ServerResponse> awkwardRoutes(ReactiveIdempotencyRouteFilter idempotency) {
			return RouterFunctions.route()
				.POST("/route/no-writer",
						(request) -> run(key(request)).flatMap((text) -> ServerResponse.ok()
							.contentType(MediaType.valueOf("text/csv"))
							.bodyValue(new Awkward(text))))
				.POST("/route/missing-view",
						(request) -> run(key(request)).flatMap((text) -> ServerResponse.ok().render("missing")))
				.POST("/route/awkward",
						(request) -> run(key(request))
							.flatMap((text) -> ServerResponse.ok().bodyValue(new Awkward(text))))
				.POST("/route/awkward-mono",
						(request) -> run(key(request))
							.flatMap((text) -> ServerResponse.ok().body(Mono.just(new Awkward(text)), Awkward.class)))
				.POST("/route/failing-body",
						(request) -> run(key(request))
							.flatMap((text) -> ServerResponse.ok().body(failsOnce(key(request)), String.class)))
				.POST("/route/model",
						(request) -> run(key(request)).flatMap((text) -> RenderingResponse.create("known")
							.modelAttribute("text", failsOnce(key(request)))
							.build()))
				.POST("/route/text",
						(request) -> request.bodyToMono(String.class)
							.flatMap((text) -> run(key(request)))
							.flatMap((text) -> ServerResponse.ok().bodyValue(text)))
				.filter(idempotency)
				.build();
		}

		private static String key(ServerRequest request) {
			return String.valueOf(request.headers().firstHeader("Idempotency-Key"));
		}

		@Idempotent
		@PostMapping(path = "/silent", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
		Flux<ServerSentEvent<String>> silent(IdempotencyContext context) {
			return Flux.<ServerSentEvent<String>>never()
				.doOnSubscribe((subscription) -> this.gates.open(context.key().value() + " runs"))
				.doOnCancel(this.cancelled::incrementAndGet);
		}

		@Idempotent
		@PostMapping("/silent-void")
		Mono<Void> silentVoid(IdempotencyContext context, ServerHttpResponse response) {
			response.getHeaders().setContentType(MediaType.TEXT_EVENT_STREAM);
			return response.writeWith(Flux.<DataBuffer>never()
				.doOnSubscribe((subscription) -> this.gates.open(context.key().value() + " runs"))
				.doOnCancel(this.cancelled::incrementAndGet));
		}

		@Idempotent
		@PostMapping("/group")
		Mono<Void> group(IdempotencyContext context, ServerHttpResponse response) {
			String key = context.key().value();
			return response.writeAndFlushWith(Mono.fromCallable(() -> {
				this.executions.next(key);
				return Flux.concat(Mono.just("first"), this.gates.passing(key).thenReturn("second"))
					.map((text) -> Reactive.buffer(response, text));
			}));
		}

		@Idempotent
		@PostMapping("/file")
		Resource file(IdempotencyContext context) {
			this.executions.next(context.key().value());
			return new FileSystemResource(folder.resolve("file"));
		}

		@PostMapping("/plain-file")
		Resource plainFile(ServerWebExchange exchange) {
			this.zeroCopy = exchange.getResponse() instanceof ZeroCopyHttpOutputMessage;
			return new FileSystemResource(folder.resolve("file"));
		}

		private String fatal(IdempotencyContext context) {
			this.executions.next(context.key().value());
			this.gates.open(context.key().value() + " runs");
			if (!context.mayHaveRun()) {
				throw new NoClassDefFoundError("as planned");
			}
			return "attempt " + context.attempt();
		}

		@Idempotent(lease = "2s")
		@PostMapping("/fatal")
		Mono<String> fatalHere(IdempotencyContext context) {
			return Mono.fromCallable(() -> fatal(context)).map((text) -> "and " + text);
		}

		@Idempotent(lease = "2s")
		@PostMapping("/fatal-elsewhere")
		Mono<String> fatalElsewhere(IdempotencyContext context) {
			return Mono.delay(Duration.ofMillis(50)).map((it) -> "and " + fatal(context));
		}

	}

	@Controller
	@Idempotent
	static class Views {

		private final Handlers handlers;

		Views(Handlers handlers) {
			this.handlers = handlers;
		}

		private Mono<String> failsOnce(IdempotencyContext context) {
			String key = context.key().value();
			this.handlers.executions.next(key);
			return this.handlers.failsOnce(key);
		}

		@PostMapping("/missing-view")
		String missing(IdempotencyContext context) {
			this.handlers.executions.next(context.key().value());
			return "missing";
		}

		@PostMapping("/model/string")
		Mono<String> string(IdempotencyContext context, Model model) {
			model.addAttribute("text", failsOnce(context));
			return Mono.just("known");
		}

		@PostMapping("/model/argument")
		String argument(IdempotencyContext context, Model model) {
			model.addAttribute("text", failsOnce(context));
			return "known";
		}

		@PostMapping("/model/map")
		Map<String, Object> map(IdempotencyContext context) {
			return Map.of("text", failsOnce(context));
		}

		@PostMapping("/model/fragments")
		FragmentsRendering fragments(IdempotencyContext context) {
			return FragmentsRendering.fragments(List.of(Fragment.create("known", Map.of("text", failsOnce(context)))))
				.build();
		}

		@PostMapping("/model/rendering")
		Rendering rendering(IdempotencyContext context) {
			return Rendering.view("known").modelAttribute("text", failsOnce(context)).build();
		}

		@Bean
		ViewResolver knownViews() {
			return new Known();
		}

	}

	static class Known implements ViewResolver, Ordered {

		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

		@Override
		public Mono<View> resolveViewName(String name, Locale locale) {
			if (!name.equals("known") && !name.equals("model/map")) {
				return Mono.empty();
			}
			return Mono.just(new AbstractView() {
				@Override
				protected Mono<Void> renderInternal(Map<String, Object> model, @Nullable MediaType contentType,
						ServerWebExchange exchange) {
					ServerHttpResponse response = exchange.getResponse();
					return response.writeWith(
							Mono.fromSupplier(() -> Reactive.buffer(response, String.valueOf(model.get("text")))));
				}
			});
		}

	}

}
