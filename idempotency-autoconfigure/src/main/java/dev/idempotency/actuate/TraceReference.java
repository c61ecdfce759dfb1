package dev.idempotency.actuate;

import org.jspecify.annotations.Nullable;

/**
 * A reference to a span, as records store it: two ids in hexadecimal digits, with a
 * hyphen between them.
 *
 * @param traceId the id of its trace
 * @param spanId the id of the span
 */
record TraceReference(String traceId, String spanId) {

	/**
	 * Parses a reference.
	 * @return {@code null} if there is none, or it has another format
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
