package dev.idempotency.web;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.OnCrash;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * An execution on WebFlux whose process died, or only seems to have.
 */
class ReactiveCrashTests extends HttpCrashTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.start(Reactive.exchange(sources, Endpoints.class, ReactiveEndpoints.class), properties);
	}

	/**
	 * Handlers that tell which attempt they are, as soon as they are allowed to end.
	 */
	@RestController
	@Idempotent
	record ReactiveEndpoints(Gates gates, Executions executions) {

		private static final int LENGTH = FIRST_PIECE.length() + 200;

		private Mono<String> run(IdempotencyContext context) {
			String key = context.key().value();
			return Mono.fromCallable(() -> this.executions.next(key)).delayUntil((receipt) -> {
				this.gates.open(running(key, context.attempt()));
				return this.gates.passing(ending(key, context.attempt()));
			})
				.map((receipt) -> "attempt %d, after a crash: %s, %s".formatted(context.attempt(), context.mayHaveRun(),
						receipt));
		}

		private Mono<String> run(IdempotencyContext context, ServerHttpResponse response) {
			return Mono.defer(() -> {
				response.getHeaders().set("X-Attempt", String.valueOf(context.attempt()));
				if (!context.mayHaveRun()) {
					response.getHeaders().set("X-Attempt-1", "yes");
					response.getHeaders().add("Set-Cookie", "attempt=1");
				}
				return run(context);
			});
		}

		@PostMapping("/entity")
		Mono<ResponseEntity<String>> entity(IdempotencyContext context, ServerHttpResponse response) {
			return run(context, response).map(ResponseEntity::ok);
		}

		@PostMapping("/refusing")
		@Idempotent(onCrash = OnCrash.REFUSE)
		Mono<String> refusing(IdempotencyContext context) {
			return run(context);
		}

		@PostMapping("/fails-second")
		Mono<String> failsSecond(IdempotencyContext context) {
			return run(context).doOnNext((text) -> {
				if (context.mayHaveRun()) {
					throw new IllegalStateException("as planned");
				}
			});
		}

		@PostMapping("/void")
		Mono<Void> writesItself(IdempotencyContext context, ServerHttpResponse response) {
			response.getHeaders().setContentType(MediaType.TEXT_PLAIN);
			return response.writeWith(run(context, response).map((text) -> Reactive.buffer(response, text)));
		}

		@PostMapping("/callable")
		Mono<String> callable(IdempotencyContext context, ServerHttpResponse response) {
			return run(context, response).subscribeOn(Schedulers.boundedElastic());
		}

		@PostMapping("/deferred")
		ResponseEntity<Mono<String>> deferred(IdempotencyContext context, ServerHttpResponse response) {
			return ResponseEntity.ok(run(context, response));
		}

		@PostMapping("/raw-async")
		Mono<Void> rawAsync(IdempotencyContext context, ServerHttpResponse response) {
			return run(context, response)
				.flatMap((text) -> response.writeWith(Mono.fromCallable(() -> Reactive.buffer(response, text))));
		}

		@PostMapping("/redirect")
		Mono<Void> redirect(IdempotencyContext context, ServerHttpResponse response) {
			return run(context, response).flatMap((text) -> {
				response.setStatusCode(HttpStatus.FOUND);
				response.getHeaders().setLocation(URI.create("/elsewhere?receipt=" + text.hashCode()));
				return response.setComplete();
			});
		}

		@PostMapping("/send-error")
		Mono<Void> sendError(IdempotencyContext context, ServerHttpResponse response) {
			return run(context, response)
				.flatMap((text) -> Mono.error(new ResponseStatusException(HttpStatus.NOT_FOUND, text)));
		}

		@PostMapping("/exception")
		Mono<String> exception(IdempotencyContext context, ServerHttpResponse response) {
			return run(context, response).flatMap((text) -> Mono.error(new HandlerKinds.AdvisedException(text)));
		}

		@PostMapping("/void-exception")
		Mono<Void> voidException(IdempotencyContext context, ServerHttpResponse response) {
			return exception(context, response).then();
		}

		private Flux<byte[]> pieces(IdempotencyContext context) {
			return Flux.concat(Mono.just(FIRST_PIECE), run(context)).map(ReactiveEndpoints::utf8);
		}

		private Flux<byte[]> filledPieces(IdempotencyContext context) {
			return Flux
				.concat(Mono.just(FIRST_PIECE),
						run(context).map((text) -> text + ".".repeat(LENGTH - FIRST_PIECE.length() - text.length())))
				.map(ReactiveEndpoints::utf8);
		}

		private static byte[] utf8(String text) {
			return text.getBytes(StandardCharsets.UTF_8);
		}

		@PostMapping("/void-flushed")
		Mono<Void> voidFlushed(IdempotencyContext context, ServerHttpResponse response) {
			return Reactive.flush(response, pieces(context));
		}

		@PostMapping("/void-length")
		Mono<Void> voidLength(IdempotencyContext context, ServerHttpResponse response) {
			response.getHeaders().setContentLength(LENGTH);
			return Reactive.flush(response, filledPieces(context));
		}

		@PostMapping("/streaming")
		Flux<DataBuffer> streaming(IdempotencyContext context, ServerHttpResponse response) {
			return Reactive.buffers(response, pieces(context));
		}

		@PostMapping("/streaming-length")
		ResponseEntity<Flux<DataBuffer>> streamingLength(IdempotencyContext context, ServerHttpResponse response) {
			return ResponseEntity.ok().contentLength(LENGTH).body(Reactive.buffers(response, filledPieces(context)));
		}

		@PostMapping(path = "/emitter", produces = "text/plain")
		Flux<String> emitter(IdempotencyContext context) {
			return Flux.concat(Mono.just(FIRST_PIECE), run(context));
		}

		@PostMapping("/raw-async-flushed")
		Mono<Void> rawAsyncFlushed(IdempotencyContext context, ServerHttpResponse response) {
			return Reactive.flush(response, pieces(context).subscribeOn(Schedulers.boundedElastic()));
		}

		@PostMapping("/raw-async-length")
		Mono<Void> rawAsyncLength(IdempotencyContext context, ServerHttpResponse response) {
			response.getHeaders().setContentLength(LENGTH);
			return Reactive.flush(response, filledPieces(context).subscribeOn(Schedulers.boundedElastic()));
		}

	}

}
