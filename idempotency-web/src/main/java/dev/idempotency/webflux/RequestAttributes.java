package dev.idempotency.webflux;

import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * Gives requests that are carried the attributes of their exchange, as Spring's own
 * requests have them.
 */
final class RequestAttributes implements WebFilter, Ordered {

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		if (exchange.getRequest() instanceof ReactiveRequest request) {
			request.attributes(exchange.getAttributes());
		}
		return chain.filter(exchange);
	}

}
