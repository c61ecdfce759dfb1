package dev.idempotency;

import java.time.Duration;

/**
 * Thrown when the key is in progress.
 */
public final class OperationInProgressException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	private final Duration retryAfter;

	/**
	 * Create an exception.
	 * @param message which operation it was
	 * @param retryAfter how long to wait before the next attempt
	 */
	public OperationInProgressException(String message, Duration retryAfter) {
		super(Reason.IN_PROGRESS, message, null);
		this.retryAfter = retryAfter;
	}

	/**
	 * When to try again: the longer the operation runs, the later, but no later than its
	 * lease expires.
	 * @return how long to wait
	 */
	@Override
	public Duration retryAfter() {
		return this.retryAfter;
	}

}
