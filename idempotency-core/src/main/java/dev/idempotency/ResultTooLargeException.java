package dev.idempotency;

/**
 * Thrown when a result does not fit into the store. The operation can still be completed
 * without it.
 */
public final class ResultTooLargeException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message the size, the limit, and the setting that raises it
	 */
	public ResultTooLargeException(String message) {
		super(Reason.RESULT_TOO_LARGE, message, null);
	}

}
