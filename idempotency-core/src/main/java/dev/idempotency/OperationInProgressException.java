package dev.idempotency;

import java.time.Duration;

/**
 * The same operation is running under the same key.
 */
public final class OperationInProgressException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	private final Duration retryAfter;

	/**
	 * Create an exception.
	 * @param message which operation it was
	 * @param retryAfter when to ask again
	 */
	public OperationInProgressException(String message, Duration retryAfter) {
		super(Reason.IN_PROGRESS, message, null);
		this.retryAfter = retryAfter;
	}

	/**
	 * When to ask again: soon at first, later the longer it runs, and never after its
	 * claim would end.
	 * @return how long to wait
	 */
	@Override
	public Duration retryAfter() {
		return this.retryAfter;
	}

}
