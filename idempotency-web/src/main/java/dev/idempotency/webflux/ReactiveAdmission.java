package dev.idempotency.webflux;

import java.util.function.Function;

import dev.idempotency.http.ProtectedOperation;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.web.server.ServerWebExchange;

/**
 * Decides whether a handler runs. The adapter and the filter function of routes share it.
 */
interface ReactiveAdmission {

	/**
	 * Decides about a request.
	 * @param proceed runs the handler, with the context of its operation in Reactor's; it
	 * is given the run, if the handler runs under a claim
	 * @return the result of the handler; nothing if the response is known without it; or
	 * an {@link dev.idempotency.IdempotencyException} if the request is refused
	 */
	<T> Mono<T> admit(ServerWebExchange exchange, Object handler, ProtectedOperation operation,
			Function<@Nullable ReactiveRun, Mono<T>> proceed);

}
