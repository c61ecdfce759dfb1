package dev.idempotency;

import java.time.Duration;

/**
 * Thrown when a result was replayed as often as is allowed.
 */
public final class ReplayLimitException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	private final Duration retryAfter;

	/**
	 * Create an exception.
	 * @param message which operation it was, and how often a replay was requested
	 * @param retryAfter when the result expires at the latest
	 */
	public ReplayLimitException(String message, Duration retryAfter) {
		super(Reason.REPLAY_LIMIT, message, null);
		this.retryAfter = retryAfter;
	}

	/**
	 * When to try again.
	 * @return when the result expires at the latest
	 */
	@Override
	public Duration retryAfter() {
		return this.retryAfter;
	}

}
