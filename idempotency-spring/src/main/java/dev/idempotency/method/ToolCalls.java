package dev.idempotency.method;

import java.lang.reflect.Method;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.call.ToolOperations;

/**
 * Calls of methods that are tools of agents and have no key of their own.
 */
final class ToolCalls {

	private ToolCalls() {
	}

	/**
	 * Makes sure that a call comes through a callback that protects it: only that one
	 * knows the session.
	 * @throws IdempotencyKeyMissingException if it does not
	 */
	static void requireCallback(Method method) {
		if (!IdempotencyContext.find().map(ToolCalls::isTool).orElse(false)) {
			throw new IdempotencyKeyMissingException(
					("%s is an @Idempotent tool without a key, and was not called through a tool callback that is protected. "
							+ "Offer it by a ToolCallbackProvider bean, wrap its callbacks with IdempotentTools, or write a key over its "
							+ "arguments")
						.formatted(method));
		}
	}

	private static boolean isTool(IdempotencyContext context) {
		return ToolOperations.isTool(context.key().scope().operation());
	}

}
