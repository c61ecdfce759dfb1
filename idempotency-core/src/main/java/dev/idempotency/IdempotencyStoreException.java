package dev.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store failed or could not be reached; nothing is known about the key.
 */
public final class IdempotencyStoreException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message what happened
	 * @param cause the store's own exception, or {@code null}
	 */
	public IdempotencyStoreException(String message, @Nullable Throwable cause) {
		super(Reason.STORE_UNAVAILABLE, message, cause);
	}

}
