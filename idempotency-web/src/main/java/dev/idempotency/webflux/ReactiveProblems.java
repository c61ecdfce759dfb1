package dev.idempotency.webflux;

import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

import dev.idempotency.IdempotencyException;
import dev.idempotency.http.ExplicitExceptionHandlers;
import dev.idempotency.http.HttpAnswer;
import dev.idempotency.http.Problems;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.http.HttpHeaders;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.server.ServerWebExchange;

/**
 * Tells clients why a request did not run.
 */
final class ReactiveProblems {

	private final Problems problems;

	private final ExplicitExceptionHandlers explicitHandlers;

	private final ExceptionHandlerCalls calls;

	ReactiveProblems(Problems problems, Supplier<List<ControllerAdviceBean>> advices) {
		this.problems = problems;
		this.explicitHandlers = new ExplicitExceptionHandlers(advices);
		this.calls = new ExceptionHandlerCalls(advices);
	}

	/**
	 * Finds the exception handlers of the application.
	 */
	void prepare() {
		this.explicitHandlers.prepare();
		this.calls.prepare();
	}

	/**
	 * Lets the application handle a problem for which it has an exception handler by
	 * name.
	 * @return what its exception handler returns, or {@code null} if it has none
	 */
	@Nullable Mono<HandlerResult> handledByApplication(IdempotencyException problem, ServerWebExchange exchange) {
		Object handler = exchange.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE);
		return (handler instanceof HandlerMethod method && this.explicitHandlers.handle(problem, handler))
				? this.calls.handle(problem, exchange, method) : null;
	}

	/**
	 * The response to a request that did not run.
	 * @return {@code null} if there is none for such a problem
	 */
	@Nullable HttpAnswer toAnswer(IdempotencyException problem, ServerWebExchange exchange) {
		Locale locale = exchange.getLocaleContext().getLocale();
		return this.problems.toAnswer(problem, exchange.getRequest().getHeaders().getFirst(HttpHeaders.ACCEPT),
				(locale != null) ? locale : Locale.getDefault());
	}

}
