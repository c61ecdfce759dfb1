package dev.idempotency.web;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;

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

import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * What Spring MVC does with the results of handlers.
 */
final class ServletHandlerAnswers implements HandlerAnswers {

	/**
	 * The operations of Spring MVC's handlers.
	 */
	static ProtectedOperations operations(HttpSettings settings, AnnotationPolicies policies,
			HttpStrategies strategies) {
		return new ProtectedOperations(settings, policies, strategies, new ServletHandlerAnswers(),
				LoggerFactory.getLogger(IdempotencyInterceptor.class));
	}

	@Override
	public void requirePossible(Idempotent annotation, Class<?> answer, String handler) {
		boolean async = annotation.storeEvents() || isAsync(answer);
		requireSynchronous(annotation.dryRun() == DryRun.ROLLBACK, "dryRun = ROLLBACK", async, handler);
		requireSynchronous(annotation.transactional(), "transactional = true", async, handler);
	}

	private static void requireSynchronous(boolean required, String attribute, boolean async, String handler) {
		if (required && async) {
			throw new IdempotencyConfigurationException(
					"%s asks for %s and answers asynchronously, outside of the transaction".formatted(handler,
							attribute),
					"Answer synchronously, or leave %s out.".formatted(attribute));
		}
	}

	/**
	 * A handler without a result writes its response itself.
	 */
	@Override
	public boolean stream(@Nullable HandlerMethod handler, Class<?> answer) {
		return (handler != null && handler.isVoid()) || StreamingResponseBody.class.isAssignableFrom(answer)
				|| ResponseBodyEmitter.class.isAssignableFrom(answer);
	}

	/**
	 * Spring checks the result, and not the declared type. A declared class that is not
	 * asynchronous itself is not taken for a task.
	 */
	@Override
	public boolean mayBeTask(Class<?> answer) {
		return answer == Object.class || answer == void.class || answer.isInterface() || isAsync(answer);
	}

	private static boolean isAsync(Class<?> answer) {
		return StreamingResponseBody.class.isAssignableFrom(answer)
				|| ResponseBodyEmitter.class.isAssignableFrom(answer) || Callable.class.isAssignableFrom(answer)
				|| WebAsyncTask.class.isAssignableFrom(answer) || DeferredResult.class.isAssignableFrom(answer)
				|| CompletionStage.class.isAssignableFrom(answer);
	}

}
