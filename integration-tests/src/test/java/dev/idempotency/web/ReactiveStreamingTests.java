package dev.idempotency.web;

import java.nio.charset.StandardCharsets;
import java.util.List;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Answers of WebFlux that are sent while their handler runs.
 */
class ReactiveStreamingTests extends HttpStreamingTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.start(Reactive.exchange(sources, Endpoints.class, ReactiveEndpoints.class), properties);
	}

	/**
	 * Handlers that send a piece and then wait until they are told to go on.
	 */
	@RestController
	@Idempotent
	record ReactiveEndpoints(Gates gates, Executions executions) {

		private static final String END = " the end";

		private Mono<String> begin(IdempotencyContext context, int size) {
			return Mono.fromCallable(() -> {
				String start = this.executions.next(context.key().value()) + " ";
				return start + "x".repeat(size - start.length());
			});
		}

		private Flux<String> pieces(IdempotencyContext context, int size) {
			return Flux.concat(begin(context, PIECE), this.gates.passing(context.key().value())
				.map((open) -> "x".repeat(size - PIECE - END.length()) + END));
		}

		private static byte[] utf8(String text) {
			return text.getBytes(StandardCharsets.UTF_8);
		}

		@PostMapping("/entity")
		Mono<ResponseEntity<byte[]>> entity(IdempotencyContext context,
				@RequestParam(defaultValue = "40000") int size) {
			return begin(context, size - END.length()).map((text) -> ResponseEntity.ok(utf8(text + END)));
		}

		@PostMapping("/deferred")
		Mono<ResponseEntity<byte[]>> deferred(IdempotencyContext context,
				@RequestParam(defaultValue = "40000") int size) {
			return entity(context, size).subscribeOn(Schedulers.boundedElastic());
		}

		@PostMapping("/void-unflushed")
		Mono<Void> voidUnflushed(IdempotencyContext context, ServerHttpResponse response) {
			return response.writeWith(begin(context, PIECE).map((text) -> Reactive.buffer(response, text)));
		}

		@PostMapping("/send-error")
		Mono<Void> sendError(IdempotencyContext context) {
			return begin(context, PIECE).then(Mono.error(new ResponseStatusException(HttpStatus.NOT_FOUND)));
		}

		@PostMapping({ "/void", "/streaming-flushed" })
		Mono<Void> writesItself(IdempotencyContext context, ServerHttpResponse response,
				@RequestParam(defaultValue = "40000") int size) {
			return Reactive.flush(response, pieces(context, size).map(ReactiveEndpoints::utf8));
		}

		@PostMapping("/void-length")
		Mono<Void> voidLength(IdempotencyContext context, ServerHttpResponse response,
				@RequestParam(defaultValue = "40000") int size) {
			response.getHeaders().setContentLength(size);
			return writesItself(context, response, size);
		}

		@PostMapping(path = { "/void-writer", "/emitter" }, produces = "text/plain")
		Flux<String> writesText(IdempotencyContext context, @RequestParam(defaultValue = "40000") int size) {
			return pieces(context, size);
		}

		@PostMapping("/streaming")
		Flux<DataBuffer> streaming(IdempotencyContext context, ServerHttpResponse response,
				@RequestParam(defaultValue = "40000") int size) {
			return Reactive.buffers(response, pieces(context, size).map(ReactiveEndpoints::utf8));
		}

		@PostMapping("/streaming-length")
		ResponseEntity<Flux<DataBuffer>> streamingLength(IdempotencyContext context, ServerHttpResponse response,
				@RequestParam(defaultValue = "40000") int size) {
			return ResponseEntity.ok().contentLength(size).body(streaming(context, response, size));
		}

		private Flux<String> events(IdempotencyContext context) {
			return Flux.concat(Mono.fromCallable(() -> this.executions.next(context.key().value())),
					this.gates.passing(context.key().value()).map((open) -> END));
		}

		@PostMapping("/sse")
		Flux<ServerSentEvent<String>> sse(IdempotencyContext context) {
			return events(context).map((text) -> ServerSentEvent.builder(text).build());
		}

		@PostMapping("/void-events")
		Mono<Void> voidEvents(IdempotencyContext context, ServerHttpResponse response) {
			response.getHeaders().setContentType(MediaType.TEXT_EVENT_STREAM);
			return Reactive.flush(response, events(context).map((text) -> utf8("data:" + text + "\n\n")));
		}

		@PostMapping("/raw-async")
		Mono<Void> rawAsync(IdempotencyContext context, ServerHttpResponse response,
				@RequestParam(defaultValue = "40000") int size) {
			return Reactive.flush(response,
					pieces(context, size).map(ReactiveEndpoints::utf8).subscribeOn(Schedulers.boundedElastic()));
		}

		@PostMapping("/raw-async-length")
		Mono<Void> rawAsyncLength(IdempotencyContext context, ServerHttpResponse response,
				@RequestParam(defaultValue = "40000") int size) {
			response.getHeaders().setContentLength(size);
			return rawAsync(context, response, size);
		}

	}

}
