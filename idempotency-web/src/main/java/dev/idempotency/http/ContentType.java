package dev.idempotency.http;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.http.MediaType;
import org.springframework.util.InvalidMimeTypeException;
import org.springframework.util.MimeType;
import org.springframework.util.MimeTypeUtils;

/**
 * A content type, in one form for all that RFC 9110 calls equivalent. The case of names,
 * the order of parameters, white space and needless quotes do not count.
 *
 * @param text the type; as it was sent if it is malformed, or {@code null} if there is
 * none
 * @param json whether it is JSON
 */
record ContentType(@Nullable String text, boolean json) {

	private static final ContentType ABSENT = new ContentType(null, false);

	private static final ContentType JSON = new ContentType(MediaType.APPLICATION_JSON_VALUE, true);

	private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

	/**
	 * Reads a type.
	 * @param field the header, or {@code null} if there is none
	 */
	public static ContentType parse(@Nullable String field) {
		if (field == null) {
			return ABSENT;
		}
		// By far the most frequent type, and already in this form
		if (MediaType.APPLICATION_JSON_VALUE.equals(field)) {
			return JSON;
		}
		try {
			return of(MimeTypeUtils.parseMimeType(field));
		}
		catch (InvalidMimeTypeException ex) {
			return new ContentType(field, false);
		}
	}

	private static ContentType of(MimeType type) {
		String name = type.getType() + '/' + type.getSubtype();
		boolean json = name.endsWith("/json") || name.endsWith("+json");
		Map<String, String> parameters = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
		parameters.putAll(type.getParameters());
		if (type.getType().equals("multipart")) {
			// Says nothing about the parts, and changes each time
			parameters.remove("boundary");
		}
		StringBuilder text = new StringBuilder(name);
		parameters.forEach((key, value) -> {
			String parameter = ';' + key.toLowerCase(Locale.ROOT) + '=';
			parameter += parameter.equals(";charset=") ? plain(value).toLowerCase(Locale.ROOT) : plain(value);
			// JSON is UTF-8 by default (RFC 8259). The RFC gives other charsets no
			// meaning, but Spring decodes with them
			if (!json || !parameter.equals(";charset=utf-8")) {
				text.append(parameter);
			}
		});
		return new ContentType(text.toString(), json);
	}

	/**
	 * A value without needless quotes and escapes.
	 */
	private static String plain(String value) {
		if (!value.startsWith("\"")) {
			return value;
		}
		String text = value.substring(1, value.length() - 1).replaceAll("\\\\(.)", "$1");
		// Quoted, to mark where the value ends
		return TOKEN.matcher(text).matches() ? text : '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
	}

}
