package dev.idempotency;

/**
 * Thrown when a stored result cannot be read, because it is damaged or was encrypted with
 * a key that is not configured. The operation has run, and must not run again.
 */
public final class UnreadableResultException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message why it cannot be read, and what to do about it
	 */
	public UnreadableResultException(String message) {
		super(Reason.RESULT_UNREADABLE, message, null);
	}

}
