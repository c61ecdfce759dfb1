package dev.idempotency.webflux;

import java.util.function.Function;

import dev.idempotency.http.ProtectedOperation;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.web.server.ServerWebExchange;

/**
 * Decides whether a handler runs: where the adapter of annotated handlers and the filter
 * function of routes meet.
 */
interface ReactiveAdmission {

	/**
	 * Decides about a request.
	 * @param proceed runs the handler, with the context of its operation in Reactor's; it
	 * is given the run, if the handler runs under a claim
	 * @return what the handler returns; nothing, if it does not run because the answer is
	 * known; or an {@link dev.idempotency.IdempotencyException} if there is none
	 */
	<T> Mono<T> admit(ServerWebExchange exchange, Object handler, ProtectedOperation operation,
			Function<@Nullable ReactiveRun, Mono<T>> proceed);

}
