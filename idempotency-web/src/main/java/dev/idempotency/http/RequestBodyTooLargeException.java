package dev.idempotency.http;

import dev.idempotency.IdempotencyException;
import dev.idempotency.Reason;

/**
 * The body of a request is larger than the limit for protected requests.
 */
public final class RequestBodyTooLargeException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	private final long limit;

	/**
	 * Create an exception.
	 * @param limit the largest body that is read, in bytes
	 */
	public RequestBodyTooLargeException(long limit) {
		super(Reason.BODY_TOO_LARGE, "The body is larger than the limit of %d bytes".formatted(limit), null);
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
