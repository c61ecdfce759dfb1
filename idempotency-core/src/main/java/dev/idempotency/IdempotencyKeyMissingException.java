package dev.idempotency;

/**
 * Thrown when an operation requires a key and there is none.
 */
public final class IdempotencyKeyMissingException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message where the key was looked for
	 */
	public IdempotencyKeyMissingException(String message) {
		super(Reason.KEY_MISSING, message, null);
	}

}
