package dev.idempotency.webflux;

import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.http.HttpSettings;
import dev.idempotency.http.ProtectedOperations;

import org.springframework.context.ApplicationContext;

/**
 * The HTTP edge for WebFlux when protection is switched off. Handlers run each time, with
 * a context that passes everything through, and dry runs are refused.
 */
public final class UnprotectedWebFlux {

	private final ProtectedOperations operations;

	private final ReactiveOpenGate gate;

	private final IdempotencyHandlerAdapter adapter;

	/**
	 * Create the edge.
	 * @param policies how annotated operations would be protected
	 * @param settings how requests would be protected
	 * @param strategies the strategies of the application
	 * @param context the application context
	 */
	public UnprotectedWebFlux(AnnotationPolicies policies, HttpSettings settings, ReactiveHttpStrategies strategies,
			ApplicationContext context) {
		this.operations = ReactiveHandlerAnswers.operations(settings, policies, strategies.keyResolver());
		this.gate = new ReactiveOpenGate(strategies);
		this.adapter = IdempotencyWebFlux.adapter(this.operations, this.gate,
				IdempotencyWebFlux.problems(settings, strategies, context), context);
	}

	/**
	 * The adapter, which calls handlers, and refuses dry runs.
	 */
	public IdempotencyHandlerAdapter adapter() {
		return this.adapter;
	}

	/**
	 * The filter function for functional routes, which refuses dry runs.
	 * @return the filter function
	 */
	public ReactiveIdempotencyRouteFilter routeFilter() {
		return new ReactiveIdempotencyRouteFilter(this.operations, this.gate, this.operations.defaultOperation());
	}

}
