package dev.idempotency.web;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import org.junit.jupiter.api.Tag;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Clients that hang up on WebFlux, which cancels whatever was going on for them.
 */
@Tag("slow")
class ReactiveDisconnectTests extends HttpDisconnectTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.start(Reactive.exchange(sources, Endpoints.class, ReactiveEndpoints.class), properties);
	}

	/**
	 * Handlers that go on when their client is gone, unless they are cancelled.
	 */
	@RestController
	@Idempotent
	record ReactiveEndpoints(Gates gates, Executions executions) {

		private Mono<String> begin(IdempotencyContext context) {
			return Mono.fromCallable(() -> this.executions.next(context.key().value()) + " ");
		}

		private Mono<Boolean> theClientIsGone(IdempotencyContext context) {
			return Mono.defer(() -> {
				this.gates.open(running(context.key().value()));
				return this.gates.passing(goingOn(context.key().value()));
			});
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
		Mono<ResponseEntity<String>> entity(IdempotencyContext context, ServerHttpRequest request) {
			return begin(context).delayUntil((receipt) -> theClientIsGone(context)).map((receipt) -> {
				// The headers of the request are still there
				String key = String.valueOf(request.getHeaders().getFirst("Idempotency-Key"));
				return ResponseEntity.status(201)
					.header("X-Receipt", receipt.replace(context.key().value(), key))
					.body(receipt);
			});
		}

		@PostMapping("/callable")
		Mono<ResponseEntity<String>> callable(IdempotencyContext context) {
			return Mono.fromCallable(() -> {
				String receipt = this.executions.next(context.key().value()) + " ";
				this.gates.open(running(context.key().value()));
				this.gates.await(goingOn(context.key().value()));
				return ResponseEntity.status(201).header("X-Receipt", receipt).body(receipt);
			}).subscribeOn(Schedulers.boundedElastic());
		}

		@PostMapping("/deferred")
		ResponseEntity<Mono<String>> deferred(IdempotencyContext context) {
			String receipt = this.executions.next(context.key().value()) + " ";
			return ResponseEntity.status(201)
				.header("X-Receipt", receipt)
				.body(theClientIsGone(context).thenReturn(receipt));
		}

		@PostMapping("/send-error")
		Mono<Void> sendError(IdempotencyContext context, ServerHttpResponse response) {
			return begin(context).doOnNext((receipt) -> response.getHeaders().set("X-Receipt", receipt))
				.then(theClientIsGone(context))
				.then(Mono.error(new ResponseStatusException(HttpStatus.NOT_FOUND)));
		}

		@PostMapping("/large/{pieces}")
		Mono<byte[]> large(IdempotencyContext context, @PathVariable int pieces) {
			return begin(context).map((receipt) -> {
				byte[] bytes = filled(receipt, lengthOf(pieces));
				System.arraycopy(end(), 0, bytes, bytes.length - end().length, end().length);
				return bytes;
			});
		}

		@PostMapping("/large-deferred/{pieces}")
		Mono<byte[]> largeDeferred(IdempotencyContext context, @PathVariable int pieces) {
			return large(context, pieces).publishOn(Schedulers.boundedElastic());
		}

		private Flux<byte[]> pieces(IdempotencyContext context, int pieces) {
			return Flux.concat(begin(context).map((receipt) -> filled(receipt, PIECE)),
					theClientIsGone(context).thenMany(Flux.range(0, pieces).map((piece) -> filled("", PIECE))),
					Mono.fromCallable(ReactiveEndpoints::end));
		}

		@PostMapping("/streaming/{pieces}")
		Flux<DataBuffer> streaming(IdempotencyContext context, @PathVariable int pieces, ServerHttpResponse response) {
			return Reactive.buffers(response, pieces(context, pieces));
		}

		@PostMapping("/streaming-length/{pieces}")
		ResponseEntity<Flux<DataBuffer>> streamingLength(IdempotencyContext context, @PathVariable int pieces,
				ServerHttpResponse response) {
			return ResponseEntity.ok().contentLength(lengthOf(pieces)).body(streaming(context, pieces, response));
		}

		@PostMapping("/void/{pieces}")
		Mono<Void> writesItself(IdempotencyContext context, @PathVariable int pieces, ServerHttpResponse response) {
			return Reactive.flush(response, pieces(context, pieces));
		}

		@PostMapping("/void-length/{pieces}")
		Mono<Void> voidLength(IdempotencyContext context, @PathVariable int pieces, ServerHttpResponse response) {
			response.getHeaders().setContentLength(lengthOf(pieces));
			return writesItself(context, pieces, response);
		}

		@PostMapping(path = "/void-writer/{pieces}", produces = "text/plain")
		Flux<String> writesText(IdempotencyContext context, @PathVariable int pieces) {
			return pieces(context, pieces).map((piece) -> new String(piece, StandardCharsets.UTF_8));
		}

		private Flux<byte[]> lateBytes(IdempotencyContext context) {
			return begin(context).delayUntil((receipt) -> theClientIsGone(context))
				.flatMapMany((receipt) -> Flux.concat(Flux.just(receipt.getBytes(StandardCharsets.UTF_8)),
						Flux.range(0, 100)
							// Time for the server to clean up
							.delayElements(Duration.ofNanos(100_000))
							.map((number) -> filled("", 1)),
						Mono.fromCallable(ReactiveEndpoints::end)));
		}

		@PostMapping("/streaming-late-head")
		Flux<DataBuffer> streamingLateHead(IdempotencyContext context, ServerHttpResponse response) {
			return Reactive.buffers(response, lateBytes(context));
		}

		@PostMapping("/void-late-head")
		Mono<Void> voidLateHead(IdempotencyContext context, ServerHttpResponse response) {
			return Reactive.flush(response, lateBytes(context));
		}

		@PostMapping(path = "/emitter/{habit}", produces = "text/plain")
		Flux<String> emitter(IdempotencyContext context, @PathVariable String habit) {
			return pieces(context, 100, habit);
		}

		@PostMapping("/sse/{habit}")
		Flux<ServerSentEvent<String>> sse(IdempotencyContext context, @PathVariable String habit) {
			return pieces(context, 100, habit).map((piece) -> ServerSentEvent.builder(piece).build());
		}

		/**
		 * Emits pieces from a thread that asks from time to time whether it is still
		 * wanted, or does not.
		 */
		private Flux<String> pieces(IdempotencyContext context, int pieces, String habit) {
			return Flux.create((sink) -> Background.execute(() -> {
				String receipt = this.executions.next(context.key().value()) + " ";
				sink.next(new String(filled(receipt, PIECE), StandardCharsets.UTF_8));
				this.gates.open(running(context.key().value()));
				this.gates.await(goingOn(context.key().value()));
				for (int piece = 0; piece < pieces; piece++) {
					if (sink.isCancelled() && !habit.equals("goes-on")) {
						end(sink, habit);
						return;
					}
					sink.next("x".repeat(PIECE));
				}
				sink.next(" the end");
				sink.complete();
			}));
		}

		private static void end(FluxSink<String> sink, String habit) {
			if (habit.startsWith("tells")) {
				sink.error(new IllegalStateException("Lost"));
			}
			else {
				sink.complete();
			}
		}

		@PostMapping("/raw-async")
		Mono<Void> rawAsync(IdempotencyContext context, ServerHttpResponse response) {
			return Reactive.flush(response, pieces(context, 100).subscribeOn(Schedulers.boundedElastic()));
		}

	}

}
