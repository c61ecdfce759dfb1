package dev.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Something that a protected operation cannot go on from.
 */
public abstract class IdempotencyException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message what happened and what to do about it
	 * @param cause the cause, or {@code null}
	 */
	protected IdempotencyException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
