package dev.idempotency.http;

/**
 * Which responses are stored by default.
 */
public final class FinalAnswers {

	private FinalAnswers() {
	}

	/**
	 * Whether a response is final: its status is below 500, and does not ask the client
	 * to try again.
	 * @param status the status of the response
	 */
	public static boolean include(int status) {
		return switch (status) {
			case 408, 409, 423, 425, 429 -> false;
			default -> status < 500;
		};
	}

}
