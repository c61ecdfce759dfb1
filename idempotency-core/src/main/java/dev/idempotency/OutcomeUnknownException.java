package dev.idempotency;

/**
 * An earlier attempt vanished, nobody knows whether it did the work, and the operation is
 * not run again before someone has decided.
 */
public final class OutcomeUnknownException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	private final int attempt;

	/**
	 * Create an exception.
	 * @param message which operation it was
	 * @param attempt the number of the attempt that vanished
	 */
	public OutcomeUnknownException(String message, int attempt) {
		super(Reason.OUTCOME_UNKNOWN, message, null);
		this.attempt = attempt;
	}

	/**
	 * Which attempt vanished.
	 * @return its number
	 */
	public int attempt() {
		return this.attempt;
	}

}
