package dev.idempotency;

/**
 * Thrown when the operation has run, and its result was not stored or cannot be read.
 */
public final class ResultNotReplayableException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message which operation it was
	 */
	public ResultNotReplayableException(String message) {
		super(Reason.NOT_REPLAYABLE, message, null);
	}

}
