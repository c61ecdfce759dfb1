package dev.idempotency.http;

/**
 * Decides which responses are stored. If a response is not stored, the key is released,
 * and a retry runs again. On WebFlux it must not block.
 */
@FunctionalInterface
public interface ResponsePolicy {

	/**
	 * Decides whether a response is stored.
	 * @param status the status of its response
	 * @return whether the response is stored
	 */
	boolean shouldStore(RequestFacts request, int status);

	/**
	 * Stores every response below 500, except those that ask the client to try again:
	 * 408, 409, 423, 425 and 429.
	 */
	static ResponsePolicy finalAnswers() {
		return (request, status) -> switch (status) {
			case 408, 409, 423, 425, 429 -> false;
			default -> status < 500;
		};
	}

}
