package dev.idempotency;

/**
 * A stored result cannot be read, because it was encrypted with a key that is not
 * configured, or because it is damaged: it is there, so the operation must not run again.
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
