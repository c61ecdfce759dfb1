package dev.idempotency.web;

import java.util.Enumeration;

import jakarta.servlet.http.HttpServletRequest;

/**
 * Reads whether a request is a dry run: a structured-field boolean (RFC 9651), or
 * {@code true} or {@code false} in words. Anything else is neither a dry run nor none,
 * and must not run.
 */
final class DryRunHeader {

	static final String NAME = "Idempotency-Dry-Run";

	private DryRunHeader() {
	}

	/**
	 * Whether a request asks for a dry run. Hardly any has the header.
	 * @throws DryRunInvalidException if nobody can tell
	 */
	static boolean asksForDryRun(HttpServletRequest request) {
		return request.getHeader(NAME) != null && asksForDryRun(request.getHeaders(NAME));
	}

	/**
	 * Whether a dry run is asked for.
	 * @param fields the values of the header, one for each time that it was sent
	 * @throws DryRunInvalidException if nobody can tell
	 */
	static boolean asksForDryRun(Enumeration<String> fields) {
		if (!fields.hasMoreElements()) {
			return false;
		}
		String field = fields.nextElement().strip();
		if (!fields.hasMoreElements()) {
			if (isItem(field, "?1") || isItem(field, "true")) {
				return true;
			}
			if (isItem(field, "?0") || isItem(field, "false")) {
				return false;
			}
		}
		throw new DryRunInvalidException();
	}

	private static boolean isItem(String field, String value) {
		return field.regionMatches(true, 0, value, 0, value.length())
				&& FieldParameters.fill(field, value.length(), field.length());
	}

}
