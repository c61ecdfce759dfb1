package dev.idempotency.http;

import java.io.IOException;

import dev.idempotency.IdempotencyException;
import dev.idempotency.Reason;

/**
 * The body of a request could not be read completely, most likely because its client has
 * disconnected.
 */
public final class RequestBodyUnreadableException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param cause why it could not
	 */
	public RequestBodyUnreadableException(IOException cause) {
		super(Reason.BODY_UNREADABLE, "The body could not be read completely", cause);
	}

}
