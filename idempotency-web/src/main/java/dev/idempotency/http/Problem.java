package dev.idempotency.http;

import java.net.URI;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Why a request did not run, and what its client can do next. It says nothing of what the
 * client sent.
 *
 * @param type what kind of problem it is
 * @param uri names the type to programs
 * @param title what has happened, in a sentence without a full stop
 * @param detail what to do next, in a sentence or two
 * @param retryAfter how long to wait before that; {@code null} if waiting does not help
 * @param documentation where to read more; {@code null} if nowhere
 */
public record Problem(ProblemType type, String uri, String title, String detail, @Nullable Duration retryAfter,
		@Nullable URI documentation) {

	/**
	 * The same in other words.
	 */
	Problem inWords(@Nullable String title, @Nullable String detail) {
		return new Problem(this.type, this.uri, (title != null) ? title : this.title,
				(detail != null) ? detail : this.detail, this.retryAfter, this.documentation);
	}

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
