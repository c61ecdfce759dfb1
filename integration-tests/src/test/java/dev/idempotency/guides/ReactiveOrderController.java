package dev.idempotency.guides;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import dev.idempotency.Idempotent;
import dev.idempotency.reactive.ReactiveIdempotencyContext;
import dev.idempotency.webflux.ReactiveIdempotencyRouteFilter;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;

import static org.springframework.web.reactive.function.server.RouterFunctions.route;

/**
 * The handlers of {@code docs/webflux.md}.
 */
@RestController
class ReactiveOrderController {

	private final Queue<Order> saved = new ConcurrentLinkedQueue<>();

	Queue<Order> saved() {
		return this.saved;
	}

	@PostMapping("/reactive-orders")
	@Idempotent
	Mono<Order> create(@RequestBody Mono<Order> order) {
		return order.flatMap(this::save);
	}

	private Mono<Order> save(Order order) {
		return Mono.fromCallable(() -> {
			this.saved.add(order);
			return order;
		});
	}

	@PostMapping("/reactive-attempts")
	@Idempotent
	Mono<String> attempt() {
		return describe();
	}

	Mono<String> describe() {
		return ReactiveIdempotencyContext.current().map((context) -> "attempt " + context.attempt());
	}

	@Configuration(proxyBeanMethods = false)
	static class Routes {

		@Bean
		RouterFunction<ServerResponse> routes(ReactiveIdempotencyRouteFilter idempotency) {
			return route().POST("/reactive-refunds", this::refund)
				.filter(idempotency.withTtl(Duration.ofDays(7)))
				.build();
		}

		private Mono<ServerResponse> refund(ServerRequest request) {
			return ServerResponse.ok()
				.body(ReactiveIdempotencyContext.current().map((it) -> it.key().value()), String.class);
		}

	}

}
