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
	 * @param retryAfter when its claim ends unless it is renewed
	 */
	public OperationInProgressException(String message, Duration retryAfter) {
		super(message, null);
		this.retryAfter = retryAfter;
	}

	/**
	 * When to try again.
	 * @return what is left of the claim
	 */
	public Duration retryAfter() {
		return this.retryAfter;
	}

}
