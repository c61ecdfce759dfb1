package dev.idempotency.web;

import java.util.List;
import java.util.Optional;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.reactive.ReactiveIdempotencyContext;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * What a handler of WebFlux knows of its operation, and what it can say about it.
 */
class ReactiveHandlerContextTests extends HandlerContextTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		List<Class<?>> exchanged = Reactive.exchange(sources, Contexts.class, ReactiveContexts.class);
		return Reactive.start(Reactive.exchange(exchanged, ServletWitness.class, ReactiveWitness.class), properties);
	}

	@RestController
	@RequestMapping("/contexts")
	@Idempotent
	record ReactiveContexts(Executions executions) {

		@PostMapping("/argument")
		Mono<String> argument(IdempotencyContext context) {
			return ReactiveIdempotencyContext.current()
				.map((current) -> "%s %s %d %s %s".formatted(context.key().scope().operation(), context.key().value(),
						context.attempt(), context.mayHaveRun(), (context == current) ? "same" : "another"));
		}

		@PostMapping("/optional")
		@Idempotent(required = false)
		Mono<String> optional(Optional<IdempotencyContext> context) {
			return Mono.just(String.valueOf(context.isPresent()));
		}

		@PostMapping("/nullable")
		@Idempotent(required = false)
		Mono<String> nullable(@Nullable IdempotencyContext context) {
			return Mono.just(String.valueOf(context != null));
		}

		@PostMapping("/unprotected")
		@Idempotent(enabled = false)
		Mono<String> unprotected(IdempotencyContext context) {
			return Mono.just("never");
		}

		@PostMapping("/deep")
		Mono<String> keyFromDeep() {
			return ReactiveIdempotencyContext.current().map((context) -> context.key().value());
		}

		@PostMapping("/task")
		Mono<String> task() {
			return keyFromDeep().subscribeOn(Schedulers.boundedElastic());
		}

		@PostMapping("/other-task")
		@Idempotent(enabled = false)
		Mono<String> otherTask() {
			return ReactiveIdempotencyContext.find().hasElement().map(String::valueOf);
		}

		@PostMapping("/fails")
		Mono<Void> fail() {
			return Mono.error(new IllegalStateException("fails"));
		}

		@PostMapping("/effect")
		Mono<String> effect(IdempotencyContext context) {
			context.effect(Effect.UPDATED);
			return Mono.just("updated");
		}

		@PostMapping("/declared-effect")
		@Idempotent(effect = Effect.DELETED)
		Mono<String> declaredEffect() {
			return Mono.just("deleted");
		}

		@PostMapping("/do-not-store")
		Mono<String> doNotStore() {
			return ReactiveIdempotencyContext.current().map((context) -> {
				context.doNotStore();
				return this.executions.next("do-not-store");
			});
		}

	}

	@Order(Ordered.HIGHEST_PRECEDENCE)
	record ReactiveWitness(Witness witness) implements WebFilter {

		@Override
		public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
			return chain.filter(exchange).doFinally((signal) -> this.witness.look());
		}

	}

}
