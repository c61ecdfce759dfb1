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
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * A store that fails before, while and after a handler of WebFlux runs.
 */
class ReactiveStoreFailureTests extends HttpStoreFailureTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.start(Reactive.exchange(sources, Endpoints.class, ReactiveEndpoints.class), properties);
	}

	/**
	 * Handlers that answer with how often they ran, and what their attempt is.
	 */
	@RestController
	@Idempotent
	record ReactiveEndpoints(Executions executions) {

		private Mono<String> run(IdempotencyContext context, ServerHttpResponse response) {
			return Mono.fromCallable(() -> {
				response.getHeaders().set("X-Attempt", String.valueOf(context.attempt()));
				return this.executions.next(context.key().value());
			});
		}

		@PostMapping("/entity")
		Mono<ResponseEntity<String>> entity(IdempotencyContext context, ServerHttpResponse response) {
			return run(context, response).map(ResponseEntity::ok);
		}

		@PostMapping("/deferred")
		Mono<String> deferred(IdempotencyContext context, ServerHttpResponse response) {
			return run(context, response).publishOn(Schedulers.boundedElastic());
		}

		@PostMapping("/streaming")
		Flux<DataBuffer> streaming(IdempotencyContext context, ServerHttpResponse response) {
			return run(context, response).flatMapIterable((text) -> List.of(text, " end"))
				.map((text) -> Reactive.buffer(response, text));
		}

		@PostMapping("/void-flushed")
		Mono<Void> voidFlushed(IdempotencyContext context, ServerHttpResponse response) {
			return run(context, response).flatMap((text) -> Reactive.flush(response, Flux.just(utf8(text))));
		}

		@PostMapping("/void-length")
		Mono<Void> voidLength(IdempotencyContext context, ServerHttpResponse response) {
			return run(context, response).flatMap((text) -> {
				response.getHeaders().setContentLength(utf8(text).length);
				return Reactive.flush(response, Flux.just(utf8(text)));
			});
		}

		private static byte[] utf8(String text) {
			return text.getBytes(StandardCharsets.UTF_8);
		}

		@PostMapping("/send-error")
		Mono<Void> sendError(IdempotencyContext context, ServerHttpResponse response) {
			return run(context, response)
				.flatMap((text) -> Mono.error(new ResponseStatusException(HttpStatus.NOT_FOUND, text)));
		}

		@PostMapping("/unavailable")
		Mono<ResponseEntity<String>> unavailable(IdempotencyContext context, ServerHttpResponse response) {
			return run(context, response)
				.map((text) -> ResponseEntity.internalServerError().body("Internal Server Error"));
		}

		@PostMapping("/exception")
		Mono<String> fail(IdempotencyContext context, ServerHttpResponse response) {
			return run(context, response).map((text) -> {
				throw new IllegalStateException(text);
			});
		}

	}

}
