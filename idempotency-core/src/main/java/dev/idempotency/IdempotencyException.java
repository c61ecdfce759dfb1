package dev.idempotency;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Base class of the exceptions that end an attempt at a protected operation.
 */
public abstract class IdempotencyException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final Reason reason;

	/**
	 * Create an exception.
	 * @param reason why the operation did not run, or has no result
	 * @param message what happened and what to do about it
	 * @param cause the cause, or {@code null}
	 */
	protected IdempotencyException(Reason reason, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.reason = reason;
	}

	/**
	 * Why the operation did not run, or has no result.
	 */
	public final Reason reason() {
		return this.reason;
	}

	/**
	 * When to try again.
	 * @return how long to wait, or {@code null} if that is unknown
	 */
	public @Nullable Duration retryAfter() {
		return null;
	}

}
