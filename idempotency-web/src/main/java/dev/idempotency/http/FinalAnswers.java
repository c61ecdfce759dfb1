package dev.idempotency.http;

/**
 * Which answers are stored, if nobody says otherwise.
 */
public final class FinalAnswers {

	private FinalAnswers() {
	}

	/**
	 * Whether an answer is final: below 500, and none that asks the client to try again.
	 * @param status the status of the answer
	 */
	public static boolean include(int status) {
		return switch (status) {
			case 408, 409, 423, 425, 429 -> false;
			default -> status < 500;
		};
	}

}
