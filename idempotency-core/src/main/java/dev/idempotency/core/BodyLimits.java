package dev.idempotency.core;

/**
 * The limits of an operation's request and response bodies, and of what is stored.
 *
 * @param request the largest request body, in bytes
 * @param response the largest response body that is stored, in bytes
 * @param events whether event streams are stored
 */
public record BodyLimits(int request, int response, boolean events) {

	/**
	 * These limits, with event streams stored.
	 */
	public BodyLimits withEvents() {
		return new BodyLimits(this.request, this.response, true);
	}

}
