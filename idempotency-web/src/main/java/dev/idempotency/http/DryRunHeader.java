package dev.idempotency.http;

import java.util.List;

/**
 * Reads whether a request is a dry run: a structured-field boolean (RFC 9651), or
 * {@code true} or {@code false} in words. A request with any other value must not run.
 */
public final class DryRunHeader {

	/**
	 * The name of the header.
	 */
	public static final String NAME = "Idempotency-Dry-Run";

	private DryRunHeader() {
	}

	/**
	 * Whether the header requests a dry run.
	 * @param fields the values of the header, one for each time that it was sent
	 * @throws DryRunInvalidException if it is not a boolean
	 */
	public static boolean asksForDryRun(List<String> fields) {
		if (fields.isEmpty()) {
			return false;
		}
		if (fields.size() == 1) {
			String field = fields.get(0).strip();
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
				&& KeyHeader.areParameters(field, value.length(), field.length());
	}

}
