package dev.idempotency.web;

import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.http.ExplicitExceptionHandlers;
import dev.idempotency.http.HttpSettings;
import dev.idempotency.http.Problems;
import dev.idempotency.http.ProtectedOperations;

import org.springframework.context.ApplicationContext;
import org.springframework.web.method.ControllerAdviceBean;

/**
 * The HTTP edge for Spring MVC when protection is switched off. Handlers run each time,
 * with a context that passes everything through, and dry runs are refused.
 */
public final class UnprotectedWeb {

	private final ProtectedOperations operations;

	private final OpenGate gate;

	private final IdempotencyExceptionResolver exceptionResolver;

	/**
	 * Create the edge.
	 * @param policies how annotated operations would be protected
	 * @param settings how requests would be protected
	 * @param strategies the strategies of the application
	 * @param context the application context
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
	 * The interceptor, which refuses dry runs.
	 */
	public IdempotencyInterceptor interceptor() {
		return new IdempotencyInterceptor(this.operations, this.gate);
	}

	/**
	 * The resolver that renders problem documents.
	 */
	public IdempotencyExceptionResolver exceptionResolver() {
		return this.exceptionResolver;
	}

	/**
	 * The filter function for functional routes, which refuses dry runs.
	 * @return the filter function
	 */
	public IdempotencyRouteFilter routeFilter() {
		return new IdempotencyRouteFilter(this.operations, this.gate, this.operations.defaultOperation());
	}

}
