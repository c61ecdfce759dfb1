package dev.idempotency.http;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.Idempotent;
import org.jspecify.annotations.Nullable;

import org.springframework.web.method.HandlerMethod;

/**
 * What an edge knows about the responses of its handlers.
 */
public interface HandlerAnswers {

	/**
	 * Makes sure that a handler can be protected as its annotation says.
	 * @param answer the type that the handler returns
	 * @param handler the handler, for messages
	 * @throws IdempotencyConfigurationException if it cannot
	 */
	void requirePossible(Idempotent annotation, Class<?> answer, String handler);

	/**
	 * Whether a handler writes its response itself, piece by piece.
	 * @param handler the handler, or {@code null} if it is a route
	 * @param answer the type that it returns
	 */
	boolean stream(@Nullable HandlerMethod handler, Class<?> answer);

	/**
	 * Whether a handler may leave its response to a task on another thread.
	 * @param answer the type that it returns
	 */
	boolean mayBeTask(Class<?> answer);

}
