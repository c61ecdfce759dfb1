package dev.idempotency.web;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyException;
import dev.idempotency.http.ProtectedOperation;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a handler runs. The interceptor and the filter function of routes share
 * it.
 */
interface Admission {

	/**
	 * Decides about a request.
	 * @return what to do after the handler has returned, or {@code null} if it must not
	 * run because the response is known
	 * @throws IdempotencyException if it must not run and there is no response to send
	 */
	@Nullable Pass admit(HttpServletRequest request, Object handler, ProtectedOperation operation);

	/**
	 * Checks that an operation can run in transactions, if it is configured to.
	 * @throws IdempotencyConfigurationException if it cannot
	 */
	void requireTransactions(ProtectedOperation operation, Object handler);

	/**
	 * Permission to run the handler.
	 */
	@FunctionalInterface
	interface Pass {

		/**
		 * Nothing to do after the handler.
		 */
		Pass NOTHING = () -> {
		};

		/**
		 * Called on the handler's thread when it has returned.
		 */
		void handlerReturned();

	}

}
