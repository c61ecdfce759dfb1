package dev.idempotency.webflux;

import dev.idempotency.reactive.Outliving;
import dev.idempotency.reactive.ReactiveIdempotencyContext;
import reactor.core.publisher.Mono;

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
				: handler.handle(request, response).contextWrite(ReactiveIdempotencyContext::bindLater);
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

}
