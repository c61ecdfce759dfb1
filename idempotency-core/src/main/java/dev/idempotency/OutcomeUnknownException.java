package dev.idempotency;

/**
 * Thrown when the key is abandoned and must not be taken over: whether the operation ran
 * is unknown, and it does not run again until the key is settled or forgotten.
 */
public final class OutcomeUnknownException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	private final int attempt;

	/**
	 * Create an exception.
	 * @param message which operation it was
	 * @param attempt the number of the abandoned attempt
	 */
	public OutcomeUnknownException(String message, int attempt) {
		super(Reason.OUTCOME_UNKNOWN, message, null);
		this.attempt = attempt;
	}

	/**
	 * Which attempt was abandoned.
	 * @return its number
	 */
	public int attempt() {
		return this.attempt;
	}

}
