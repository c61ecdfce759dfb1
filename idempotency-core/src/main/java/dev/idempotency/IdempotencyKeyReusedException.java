package dev.idempotency;

/**
 * Thrown when the key was used for a different request.
 */
public final class IdempotencyKeyReusedException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message which operation it was
	 */
	public IdempotencyKeyReusedException(String message) {
		super(Reason.KEY_REUSED, message, null);
	}

}
