package dev.idempotency.http;

import java.net.URI;
import java.time.Duration;

import dev.idempotency.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Why a request did not run, and what its client can do next. It contains nothing that
 * the client sent.
 *
 * @param reason what kind of problem it is
 * @param status the status of the response
 * @param uri identifies the kind of problem
 * @param title what has happened, in a sentence without a full stop
 * @param detail what to do next, in a sentence or two
 * @param retryAfter how long to wait before that; {@code null} if waiting does not help
 * @param documentation where to read more; {@code null} if nowhere
 */
public record Problem(Reason reason, int status, String uri, String title, String detail, @Nullable Duration retryAfter,
		@Nullable URI documentation) {

	/**
	 * How long to wait, as {@code Retry-After} says it.
	 * @return full seconds, at least one; {@code null} if waiting does not help
	 */
	public @Nullable Long retryAfterSeconds() {
		if (this.retryAfter == null) {
			return null;
		}
		return Math.max(1, this.retryAfter.toSeconds() + ((this.retryAfter.toNanosPart() > 0) ? 1 : 0));
	}

}
