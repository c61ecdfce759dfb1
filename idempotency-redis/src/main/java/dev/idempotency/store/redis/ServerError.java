package dev.idempotency.store.redis;

import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * Finds the error message of the server, however deep a driver wrapped it.
 */
final class ServerError {

	private ServerError() {
	}

	/**
	 * The message of the innermost cause, which begins with the server's code if the
	 * error is the server's.
	 */
	static String of(Throwable error) {
		Throwable innermost = NestedExceptionUtils.getMostSpecificCause(error);
		@Nullable String message = innermost.getMessage();
		return (message != null) ? message : innermost.getClass().getSimpleName();
	}

}
