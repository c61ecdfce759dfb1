package dev.idempotency.web;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyException;
import dev.idempotency.http.ProtectedOperation;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a handler runs: where the interceptor and the filter function of routes
 * meet.
 */
interface Admission {

	/**
	 * Decides about a request.
	 * @return what is to be done after the handler has run, or {@code null} if it is not
	 * to run because the answer is known
	 * @throws IdempotencyException if it is not to run and there is no answer
	 */
	@Nullable Pass admit(HttpServletRequest request, Object handler, ProtectedOperation operation);

	/**
	 * Makes sure that an operation can run in transactions, if it is to.
	 * @throws IdempotencyConfigurationException if it cannot
	 */
	void requireTransactions(ProtectedOperation operation, Object handler);

	/**
	 * The way to the handler is free.
	 */
	@FunctionalInterface
	interface Pass {

		/**
		 * There is nothing to be done after the handler.
		 */
		Pass NOTHING = () -> {
		};

		/**
		 * Called on the handler's thread when it has returned.
		 */
		void handlerReturned();

	}

}
