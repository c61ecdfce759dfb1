package dev.idempotency;

/**
 * Thrown when a key cannot be used.
 */
public final class IdempotencyKeyInvalidException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message what is wrong with the key, without repeating it
	 */
	public IdempotencyKeyInvalidException(String message) {
		super(Reason.KEY_INVALID, message, null);
	}

}
