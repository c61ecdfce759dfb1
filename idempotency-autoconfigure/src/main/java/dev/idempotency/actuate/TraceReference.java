package dev.idempotency.actuate;

import org.jspecify.annotations.Nullable;

/**
 * A span, as a record remembers it: the two ids in hexadecimal digits, with a hyphen
 * between them.
 *
 * @param traceId the id of its trace
 * @param spanId its own
 */
record TraceReference(String traceId, String spanId) {

	/**
	 * Reads a reference.
	 * @return {@code null} if there is none, or it is someone else's
	 */
	static @Nullable TraceReference parse(@Nullable String text) {
		int hyphen = (text != null) ? text.indexOf('-') : -1;
		if (text == null || hyphen < 0) {
			return null;
		}
		String traceId = text.substring(0, hyphen);
		String spanId = text.substring(hyphen + 1);
		return (isId(traceId) && isId(spanId)) ? new TraceReference(traceId, spanId) : null;
	}

	private static boolean isId(String text) {
		return !text.isEmpty() && text.chars().allMatch((c) -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
	}

	@Override
	public String toString() {
		return this.traceId + "-" + this.spanId;
	}

}
