package dev.idempotency;

/**
 * The operation has run, and its result was not kept or cannot be read.
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
