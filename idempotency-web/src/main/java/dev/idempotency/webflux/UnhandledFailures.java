package dev.idempotency.webflux;

import reactor.core.publisher.Mono;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

/**
 * Observes, behind all other filters, the exceptions of protected handlers that Spring
 * does not handle. Those that define their own response do not count.
 */
final class UnhandledFailures implements WebFilter, Ordered {

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		return IdempotencyHttpHandler.isSafe(exchange.getRequest().getMethod()) ? chain.filter(exchange)
				: Mono.deferContextual((context) -> {
					ReactiveExchange carried = ReactiveExchange.of(context);
					return chain.filter(exchange).doOnError((ex) -> {
						ReactiveRun run = (carried != null) ? carried.run() : null;
						if (run != null && !isAnswer(ex)) {
							run.failedUnhandled();
						}
					});
				});
	}

	private static boolean isAnswer(Throwable failure) {
		return failure instanceof ErrorResponse
				|| AnnotatedElementUtils.hasAnnotation(failure.getClass(), ResponseStatus.class);
	}

}
