package dev.idempotency.web;

import jakarta.servlet.http.HttpServletRequest;

/**
 * Reports when the container has finished a protected request, including its error page.
 */
@FunctionalInterface
public interface RequestEnds {

	/**
	 * Registers a callback for the end of a request.
	 * @param end the callback, which runs before the container recycles the request
	 */
	void whenOver(HttpServletRequest request, Runnable end);

	/**
	 * Whether an outer filter renders errors by a forward, after our filter has returned.
	 * @return whether there is such a filter; otherwise the container renders errors
	 */
	default boolean errorsAreForwarded() {
		return false;
	}

	/**
	 * Registers nothing. It is for containers where other code calls
	 * {@link IdempotencyFilter#requestIsOver(jakarta.servlet.ServletRequest)} for every
	 * request.
	 * @return the instance that registers nothing
	 */
	static RequestEnds toldForEveryRequest() {
		return (request, end) -> {
		};
	}

}
