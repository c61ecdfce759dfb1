package dev.idempotency;

/**
 * The operation needs a key and got none.
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
