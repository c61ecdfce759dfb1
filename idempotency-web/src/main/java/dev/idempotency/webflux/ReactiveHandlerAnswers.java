package dev.idempotency.webflux;

import dev.idempotency.DryRun;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.Idempotent;
import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.http.HandlerAnswers;
import dev.idempotency.http.HttpSettings;
import dev.idempotency.http.HttpStrategies;
import dev.idempotency.http.ProtectedOperations;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

import org.springframework.web.method.HandlerMethod;

/**
 * What the edge for WebFlux knows about responses: each is written as it comes, on any
 * thread.
 */
final class ReactiveHandlerAnswers implements HandlerAnswers {

	/**
	 * How the handlers of WebFlux are protected.
	 */
	static ProtectedOperations operations(HttpSettings settings, AnnotationPolicies policies,
			HttpStrategies strategies) {
		return new ProtectedOperations(settings, policies, strategies, new ReactiveHandlerAnswers(),
				LoggerFactory.getLogger(IdempotencyHandlerAdapter.class));
	}

	@Override
	public void requirePossible(Idempotent annotation, Class<?> answer, String handler) {
		requireAbsent(annotation.transactional(), "transactional = true", handler);
		requireAbsent(annotation.dryRun() == DryRun.ROLLBACK, "dryRun = ROLLBACK", handler);
	}

	private static void requireAbsent(boolean present, String attribute, String handler) {
		if (present) {
			throw new IdempotencyConfigurationException(
					"%s asks for %s, but the transactions of WebFlux handlers are not bound to a thread that a store could join"
						.formatted(handler, attribute),
					"Leave %s out, or put @Idempotent(transactional = true) on a blocking method of a bean, and call it on a scheduler for blocking work."
						.formatted(attribute));
		}
	}

	@Override
	public boolean stream(@Nullable HandlerMethod handler, Class<?> answer) {
		return false;
	}

	@Override
	public boolean mayBeTask(Class<?> answer) {
		return false;
	}

}
