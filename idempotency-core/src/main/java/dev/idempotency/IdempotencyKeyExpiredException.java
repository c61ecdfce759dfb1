package dev.idempotency;

/**
 * Thrown when nothing is stored under a key, and the key is too old to be a new one: its
 * operation may have run, and its record may have expired.
 */
public final class IdempotencyKeyExpiredException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message which operation it was
	 */
	public IdempotencyKeyExpiredException(String message) {
		super(Reason.KEY_EXPIRED, message, null);
	}

}
