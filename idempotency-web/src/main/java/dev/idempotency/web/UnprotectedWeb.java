package dev.idempotency.web;

import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.http.ExplicitExceptionHandlers;
import dev.idempotency.http.HttpSettings;
import dev.idempotency.http.Problems;
import dev.idempotency.http.ProtectedOperations;

import org.springframework.context.ApplicationContext;
import org.springframework.web.method.ControllerAdviceBean;

/**
 * What is left of the HTTP edge when protection is switched off: handlers run each time,
 * with a context that passes everything through, and dry runs are refused.
 */
public final class UnprotectedWeb {

	private final ProtectedOperations operations;

	private final OpenGate gate;

	private final IdempotencyExceptionResolver exceptionResolver;

	/**
	 * Create what is left of the edge.
	 * @param policies what annotations say
	 * @param settings how requests would be protected
	 * @param strategies what the application decides differently
	 * @param context the application
	 */
	public UnprotectedWeb(AnnotationPolicies policies, HttpSettings settings, HttpStrategies strategies,
			ApplicationContext context) {
		this.operations = ServletHandlerAnswers.operations(settings, policies, strategies.keyResolver());
		this.gate = new OpenGate(strategies);
		this.exceptionResolver = new IdempotencyExceptionResolver(
				new Problems(settings, strategies.problemFormats(), context),
				new ExplicitExceptionHandlers(() -> ControllerAdviceBean.findAnnotatedBeans(context)));
	}

	/**
	 * Knows the handler of a request, and refuses dry runs of it.
	 */
	public IdempotencyInterceptor interceptor() {
		return new IdempotencyInterceptor(this.operations, this.gate);
	}

	/**
	 * Answers with problem documents.
	 */
	public IdempotencyExceptionResolver exceptionResolver() {
		return this.exceptionResolver;
	}

	/**
	 * Stays around functional routes.
	 * @return the filter function
	 */
	public IdempotencyRouteFilter routeFilter() {
		return new IdempotencyRouteFilter(this.operations, this.gate, this.operations.defaultOperation());
	}

}
