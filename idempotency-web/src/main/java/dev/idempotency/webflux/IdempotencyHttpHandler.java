package dev.idempotency.webflux;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.reactive.Outliving;
import dev.idempotency.reactive.ReactiveIdempotencyContext;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import org.springframework.http.HttpMethod;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;

/**
 * Carries unsafe requests through the application, around all filters and error handlers.
 * A client that disconnects cancels everything, unless a protected handler runs. The
 * handler continues, and its response is stored for the retry.
 */
final class IdempotencyHttpHandler implements HttpHandler {

	private final HttpHandler delegate;

	IdempotencyHttpHandler(HttpHandler delegate) {
		this.delegate = delegate;
	}

	/**
	 * Lets requests know their operations, and nothing else, when protection is switched
	 * off.
	 */
	static HttpHandler off(HttpHandler handler) {
		return (request, response) -> isSafe(request.getMethod()) ? handler.handle(request, response)
				: handler.handle(request, response).contextWrite((context) -> new CurrentOperation().in(context));
	}

	@Override
	public Mono<Void> handle(ServerHttpRequest request, ServerHttpResponse response) {
		if (isSafe(request.getMethod())) {
			return this.delegate.handle(request, response);
		}
		ReactiveExchange exchange = new ReactiveExchange(request, response);
		return Mono.fromDirect(new Outliving<>(
				exchange.carry(this.delegate.handle(exchange.request(), exchange.response())), exchange));
	}

	/**
	 * Whether requests are safe to repeat as they are.
	 */
	static boolean isSafe(HttpMethod method) {
		return switch (method.name()) {
			case "GET", "HEAD", "OPTIONS", "TRACE" -> true;
			default -> false;
		};
	}

	/**
	 * The operation of a request. The pipeline begins before the handler is known, and
	 * writes the response after the handler has returned.
	 */
	static final class CurrentOperation {

		private volatile @Nullable IdempotencyContext context;

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

}
