package dev.idempotency.http;

import java.util.Locale;

/**
 * Why a request did not run, as clients are told.
 */
public enum ProblemType {

	/**
	 * There is no key.
	 */
	KEY_MISSING(400, "A key is missing"),

	/**
	 * There is something that is no key.
	 */
	KEY_INVALID(400, "The key cannot be used"),

	/**
	 * The body cannot be compared.
	 */
	BODY_UNREADABLE(400, "The body could not be read"),

	/**
	 * Nobody can tell whether a dry run is asked for.
	 */
	DRY_RUN_INVALID(400, "The request may be a dry run, or not"),

	/**
	 * The same request is running.
	 */
	IN_PROGRESS(409, "The same request is still being processed"),

	/**
	 * An executor vanished.
	 */
	OUTCOME_UNKNOWN(409, "Nobody knows whether the request was processed"),

	/**
	 * It has run, and there is no answer to repeat.
	 */
	NOT_REPLAYABLE(409, "The request was processed before"),

	/**
	 * The body is larger than what is compared.
	 */
	BODY_TOO_LARGE(413, "The body is too large"),

	/**
	 * The key belongs to another request.
	 */
	KEY_REUSED(422, "The key was used for another request"),

	/**
	 * The answer was repeated as often as is allowed.
	 */
	REPLAY_LIMIT(429, "The answer was asked for too often"),

	/**
	 * The store does not say what it would decide, or protection is switched off.
	 */
	DRY_RUN_UNSUPPORTED(501, "A dry run is not possible here"),

	/**
	 * The store cannot be asked.
	 */
	STORE_UNAVAILABLE(503, "The request cannot be processed now");

	private final int status;

	private final String title;

	ProblemType(int status, String title) {
		this.status = status;
		this.title = title;
	}

	/**
	 * The status of the answer.
	 * @return the status
	 */
	public int status() {
		return this.status;
	}

	/**
	 * What has happened, in a sentence without a full stop.
	 * @return the title
	 */
	public String title() {
		return this.title;
	}

	/**
	 * What the type of the problem document is.
	 * @param base what all types begin with
	 * @return the URI
	 */
	public String uri(String base) {
		return base + name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
