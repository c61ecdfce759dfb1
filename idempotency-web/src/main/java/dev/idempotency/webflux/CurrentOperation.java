package dev.idempotency.webflux;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.reactive.ReactiveIdempotencyContext;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import org.springframework.http.server.reactive.HttpHandler;

/**
 * The operation of a request. The pipeline begins before the handler is known, and writes
 * the response after the handler has returned.
 */
final class CurrentOperation {

	private volatile @Nullable IdempotencyContext context;

	/**
	 * Decorates a handler, so that its requests know their operations.
	 */
	static HttpHandler around(HttpHandler handler) {
		return (request, response) -> IdempotencyHttpHandler.isSafe(request.getMethod())
				? handler.handle(request, response)
				: handler.handle(request, response).contextWrite((context) -> new CurrentOperation().in(context));
	}

	/**
	 * Puts it into Reactor's context.
	 */
	Context in(Context context) {
		return ReactiveIdempotencyContext.bindLater(context.put(CurrentOperation.class, this), () -> this.context);
	}

	/**
	 * Runs a handler as part of an operation.
	 */
	static <T> Mono<T> bind(ContextView view, IdempotencyContext operation, Mono<T> handler) {
		CurrentOperation current = view.getOrDefault(CurrentOperation.class, null);
		if (current == null) {
			return handler.contextWrite((context) -> ReactiveIdempotencyContext.bind(context, operation));
		}
		current.context = operation;
		return handler;
	}

}
