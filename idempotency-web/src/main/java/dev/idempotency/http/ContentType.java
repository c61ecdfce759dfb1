package dev.idempotency.http;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import org.springframework.http.MediaType;

/**
 * A content type, in one form for all that RFC 9110 calls equivalent. The case of names,
 * the order of parameters, white space and needless quotes do not count.
 *
 * @param text the type; as it was sent if it is malformed, or {@code null} if there is
 * none
 * @param json whether it is JSON
 */
public record ContentType(@Nullable String text, boolean json) {

	private static final ContentType ABSENT = new ContentType(null, false);

	private static final ContentType JSON = new ContentType(MediaType.APPLICATION_JSON_VALUE, true);

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
		ContentType parsed = new Parser(field).parse();
		return (parsed != null) ? parsed : new ContentType(field, false);
	}

	/**
	 * A type with its parameters.
	 * @param name the type and subtype in lower case
	 */
	private static ContentType of(String name, List<Parameter> parameters) {
		boolean json = name.endsWith("/json") || name.endsWith("+json");
		boolean multipart = name.startsWith("multipart/");
		// By name only: the order of two with the same name may matter
		parameters.sort(Comparator.comparing(Parameter::name));
		StringBuilder text = new StringBuilder(name);
		for (Parameter parameter : parameters) {
			if (!(json && parameter.isUtf8()) && !(multipart && parameter.isBoundary())) {
				parameter.appendTo(text);
			}
		}
		return new ContentType(text.toString(), json);
	}

	private static boolean isToken(char character) {
		return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')
				|| (character >= '0' && character <= '9') || "!#$%&'*+-.^_`|~".indexOf(character) >= 0;
	}

	/**
	 * A parameter.
	 *
	 * @param name its name in lower case
	 * @param value its value without quotes; in lower case where that means the same
	 */
	private record Parameter(String name, String value) {

		static Parameter of(String name, String value) {
			String lower = name.toLowerCase(Locale.ROOT);
			return new Parameter(lower, lower.equals("charset") ? value.toLowerCase(Locale.ROOT) : value);
		}

		/**
		 * JSON is UTF-8 by default (RFC 8259). The RFC gives other charsets no meaning,
		 * but Spring decodes with them.
		 */
		boolean isUtf8() {
			return this.name.equals("charset") && this.value.equals("utf-8");
		}

		/**
		 * The boundary says nothing about the parts, and changes each time.
		 */
		boolean isBoundary() {
			return this.name.equals("boundary");
		}

		void appendTo(StringBuilder text) {
			text.append(';').append(this.name).append('=');
			if (!this.value.isEmpty() && this.value.chars().allMatch((character) -> isToken((char) character))) {
				text.append(this.value);
			}
			else {
				// Quoted, to mark where the value ends
				text.append('"').append(this.value.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
			}
		}

	}

	/**
	 * Reads a field as RFC 9110 defines it.
	 */
	private static final class Parser {

		private final String field;

		private int at;

		private Parser(String field) {
			this.field = field;
		}

		private @Nullable ContentType parse() {
			skipBlanks();
			String type = token();
			if (type.isEmpty() || !skip('/')) {
				return null;
			}
			String subtype = token();
			List<Parameter> parameters = new ArrayList<>();
			boolean valid = !subtype.isEmpty();
			for (skipBlanks(); valid && this.at < this.field.length(); skipBlanks()) {
				valid = skip(';') && readParameter(parameters);
			}
			return valid ? of((type + '/' + subtype).toLowerCase(Locale.ROOT), parameters) : null;
		}

		/**
		 * Reads a parameter, which may be left out.
		 */
		private boolean readParameter(List<Parameter> parameters) {
			skipBlanks();
			String name = token();
			if (name.isEmpty()) {
				return this.at == this.field.length() || this.field.charAt(this.at) == ';';
			}
			if (!skip('=')) {
				return false;
			}
			String value = skip('"') ? quoted() : token();
			if (value == null || (value.isEmpty() && this.field.charAt(this.at - 1) != '"')) {
				return false;
			}
			parameters.add(Parameter.of(name, value));
			return true;
		}

		private @Nullable String quoted() {
			StringBuilder value = new StringBuilder();
			while (this.at < this.field.length()) {
				char character = this.field.charAt(this.at++);
				if (character == '"') {
					return value.toString();
				}
				if (character == '\\') {
					if (this.at == this.field.length()) {
						return null;
					}
					character = this.field.charAt(this.at++);
				}
				value.append(character);
			}
			return null;
		}

		private String token() {
			int start = this.at;
			while (this.at < this.field.length() && isToken(this.field.charAt(this.at))) {
				this.at++;
			}
			return this.field.substring(start, this.at);
		}

		private boolean skip(char character) {
			boolean found = this.at < this.field.length() && this.field.charAt(this.at) == character;
			this.at += found ? 1 : 0;
			return found;
		}

		private void skipBlanks() {
			while (this.at < this.field.length()
					&& (this.field.charAt(this.at) == ' ' || this.field.charAt(this.at) == '\t')) {
				this.at++;
			}
		}

	}

}
