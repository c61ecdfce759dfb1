package dev.idempotency.http;

import dev.idempotency.IdempotencyException;
import dev.idempotency.Reason;

/**
 * The body of a request is larger than what is read ahead of its handler.
 */
public final class RequestBodyTooLargeException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	private final long limit;

	/**
	 * Create an exception.
	 * @param limit the largest body that is read, in bytes
	 */
	public RequestBodyTooLargeException(long limit) {
		super(Reason.BODY_TOO_LARGE, "The body has more than the %d bytes that are compared".formatted(limit), null);
		this.limit = limit;
	}

	/**
	 * The largest body that is read.
	 * @return the number of bytes
	 */
	public long limit() {
		return this.limit;
	}

}
