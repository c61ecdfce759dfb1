package dev.idempotency.webflux;

import java.util.Locale;

import dev.idempotency.IdempotencyException;
import dev.idempotency.http.ExplicitExceptionHandlers;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.Problems;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.server.ServerWebExchange;

/**
 * Tells the clients of WebFlux why a request did not run.
 */
final class ReactiveProblems {

	private final Problems problems;

	private final ExplicitExceptionHandlers explicitHandlers;

	ReactiveProblems(Problems problems, ExplicitExceptionHandlers explicitHandlers) {
		this.problems = problems;
		this.explicitHandlers = explicitHandlers;
	}

	/**
	 * Whether the application answers itself.
	 */
	boolean areHandledByApplication(IdempotencyException problem, ServerWebExchange exchange) {
		return this.explicitHandlers.handle(problem,
				exchange.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE));
	}

	/**
	 * The answer to a request that did not run.
	 * @return {@code null} if there is none for such a problem
	 */
	@Nullable HttpAnswer toAnswer(IdempotencyException problem, ServerWebExchange exchange) {
		Locale locale = exchange.getLocaleContext().getLocale();
		return this.problems.toAnswer(problem, exchange.getRequest().getHeaders().getFirst(HttpHeaders.ACCEPT),
				(locale != null) ? locale : Locale.getDefault());
	}

}
