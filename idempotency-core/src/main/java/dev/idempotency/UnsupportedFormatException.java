package dev.idempotency;

/**
 * Thrown when a stored result was written by a newer release and this release cannot read
 * it. The operation has run, and must not run again.
 */
public final class UnsupportedFormatException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message which format was found and which are known
	 */
	public UnsupportedFormatException(String message) {
		super(Reason.RESULT_UNREADABLE, message, null);
	}

}
