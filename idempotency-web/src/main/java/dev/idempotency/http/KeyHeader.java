package dev.idempotency.http;

import java.util.List;
import java.util.regex.Pattern;

import dev.idempotency.IdempotencyKeyInvalidException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the key from its header: a structured-field string (RFC 9651) or, where that is
 * allowed, the bare key. Both forms of one text are one key. Several keys, which a proxy
 * may have joined, are refused: picking one could replay the wrong response.
 */
public final class KeyHeader {

	/**
	 * The most characters of a key.
	 */
	public static final int MAX_LENGTH = 255;

	/**
	 * The parameters after an item of a structured field (RFC 9651, section 4.2.3.2),
	 * with values that are strings, bytes, booleans, dates, numbers, tokens or display
	 * strings. Each quantifier is possessive, so that a long field costs neither stack
	 * nor time.
	 */
	private static final Pattern PARAMETERS = Pattern
		.compile("(?:; *+[a-z*][a-z0-9_.*-]*+(?:=(?:\"(?:[ !#-\\[\\]-~]|\\\\[\"\\\\])*+\""
				+ "|:[A-Za-z0-9+/]*+=*+:|\\?[01]|@-?[0-9]{1,15}|-?[0-9]{1,12}\\.[0-9]{1,3}|-?[0-9]{1,15}"
				+ "|[A-Za-z*][A-Za-z0-9!#$%&'*+.^_`|~:/-]*+|%\"(?:[ !#$&-~]|%[0-9a-f]{2})*+\"))?+)*+");

	private KeyHeader() {
	}

	/**
	 * Tells a client that sent no key what to do.
	 * @param name the name of the header
	 */
	public static String advice(String name) {
		return "This operation needs a key: send one, such as a random UUID, in the %s header, and the same one with each retry."
			.formatted(name);
	}

	/**
	 * Reads a key.
	 * @param fields the values of the header, one for each time that it was sent
	 * @param syntax how keys are written
	 * @return the key, without quotes and escapes, or {@code null} if there is no header
	 * @throws IdempotencyKeyInvalidException if it holds something other than a key
	 */
	public static @Nullable String parse(List<String> fields, KeySyntax syntax) {
		if (fields.isEmpty()) {
			return null;
		}
		String field = fields.get(0);
		if (fields.size() > 1) {
			throw Flaw.REPEATED.toException();
		}
		int start = 0;
		int end = field.length();
		while (start < end && isBlank(field.charAt(start))) {
			start++;
		}
		while (start < end && isBlank(field.charAt(end - 1))) {
			end--;
		}
		if (start == end) {
			throw Flaw.EMPTY.toException();
		}
		if (field.charAt(start) == '"') {
			return quoted(field, start + 1, end);
		}
		if (syntax == KeySyntax.STRICT) {
			throw Flaw.NOT_QUOTED.toException();
		}
		return bare(field, start, end);
	}

	private static String bare(String field, int start, int end) {
		for (int i = start; i < end; i++) {
			if (!isVisible(field.charAt(i))) {
				throw Flaw.BAD_CHARACTER.toException();
			}
		}
		if (end - start > MAX_LENGTH) {
			throw Flaw.TOO_LONG.toException();
		}
		return field.substring(start, end);
	}

	private static String quoted(String field, int start, int end) {
		int escapes = 0;
		int quote = start;
		for (; quote < end && field.charAt(quote) != '"'; quote++) {
			if (field.charAt(quote) == '\\') {
				escapes++;
				quote++;
				if (quote < end && !isEscapable(field.charAt(quote))) {
					throw Flaw.BAD_ESCAPE.toException();
				}
			}
			else if (!isVisible(field.charAt(quote))) {
				throw Flaw.BAD_CHARACTER.toException();
			}
		}
		if (quote >= end) {
			throw Flaw.UNTERMINATED.toException();
		}
		if (!areParameters(field, quote + 1, end)) {
			throw Flaw.TRAILING.toException();
		}
		int length = quote - start - escapes;
		if (length == 0) {
			throw Flaw.EMPTY.toException();
		}
		if (length > MAX_LENGTH) {
			throw Flaw.TOO_LONG.toException();
		}
		return (escapes > 0) ? unescape(field, start, quote, length) : field.substring(start, quote);
	}

	private static String unescape(String field, int start, int end, int length) {
		StringBuilder key = new StringBuilder(length);
		for (int i = start; i < end; i++) {
			if (field.charAt(i) == '\\') {
				i++;
			}
			key.append(field.charAt(i));
		}
		return key.toString();
	}

	/**
	 * Whether a part of a field is a list of parameters, maybe an empty one, and nothing
	 * else, such as a comma and a second item. What the parameters are is ignored.
	 */
	static boolean areParameters(String field, int start, int end) {
		return start == end || PARAMETERS.matcher(field).region(start, end).matches();
	}

	private static boolean isBlank(char character) {
		return character == ' ' || character == '\t';
	}

	private static boolean isVisible(char character) {
		return character > ' ' && character <= '~';
	}

	private static boolean isEscapable(char character) {
		return character == '"' || character == '\\';
	}

	/**
	 * Why a header holds no key.
	 */
	enum Flaw {

		REPEATED("The key was sent more than once: send it in one header field."),

		EMPTY("The key is empty: send 1 to 255 characters, such as a random UUID."),

		TOO_LONG("The key is too long: send 1 to 255 characters, such as a random UUID or a SHA-256 in hexadecimal."),

		BAD_CHARACTER(
				"The key has a character that is not visible ASCII: use letters, digits and punctuation, no blanks."),

		BAD_ESCAPE("The key has an unknown escape: inside quotes, only \\\" and \\\\ are escapes."),

		NOT_QUOTED("The key is not quoted: send it as a structured-field string, in double quotes."),

		UNTERMINATED("The key's closing quote is missing: end it with a double quote."),

		TRAILING("Something follows the key's closing quote: send one key and nothing after it.");

		private final String advice;

		Flaw(String advice) {
			this.advice = advice;
		}

		/**
		 * A sentence for the client, without anything that the client sent.
		 */
		String advice() {
			return this.advice;
		}

		private IdempotencyKeyInvalidException toException() {
			return new IdempotencyKeyInvalidException(this.advice);
		}

	}

}
