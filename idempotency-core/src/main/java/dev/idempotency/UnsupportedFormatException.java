package dev.idempotency;

/**
 * A stored result was written by a newer release: it is there, so the operation must not
 * run again, but this release cannot read it.
 */
public final class UnsupportedFormatException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message which format was met and which are known
	 */
	public UnsupportedFormatException(String message) {
		super(Reason.RESULT_UNREADABLE, message, null);
	}

}
