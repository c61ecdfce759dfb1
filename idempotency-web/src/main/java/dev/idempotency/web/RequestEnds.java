package dev.idempotency.web;

import jakarta.servlet.http.HttpServletRequest;

/**
 * Hears from the container when it is done with a protected request, error page included.
 */
@FunctionalInterface
public interface RequestEnds {

	/**
	 * Calls back at the end of a request.
	 * @param request the request
	 * @param end what is to be done then, before the container recycles the request
	 */
	void whenOver(HttpServletRequest request, Runnable end);

	/**
	 * Whether some filter around ours renders errors, by a forward when ours has
	 * returned.
	 * @return whether there is such a filter; the container does it otherwise
	 */
	default boolean errorsAreForwarded() {
		return false;
	}

	/**
	 * For containers where something else calls
	 * {@link IdempotencyFilter#requestIsOver(jakarta.servlet.ServletRequest)} for every
	 * request.
	 * @return what does nothing
	 */
	static RequestEnds toldForEveryRequest() {
		return (request, end) -> {
		};
	}

}
