package dev.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the application denies a stored result to its caller.
 */
public final class ReplayDeniedException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message which operation it was
	 * @param cause why it could not be decided, or {@code null} if it was
	 */
	public ReplayDeniedException(String message, @Nullable Throwable cause) {
		super(Reason.REPLAY_DENIED, message, cause);
	}

}
