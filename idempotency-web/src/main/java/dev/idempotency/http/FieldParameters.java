package dev.idempotency.http;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * The parameters after an item of a structured field (RFC 9651, section 4.2.3.2). They
 * are parsed, and then ignored. Anything after them, such as a comma and a second item,
 * makes the field invalid.
 */
final class FieldParameters {

	private static final int MAX_DIGITS = 15;

	private static final int MAX_WHOLE_DIGITS = 12;

	private static final int MAX_FRACTION_DIGITS = 3;

	private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~:/";

	private final String field;

	private final int end;

	private int at;

	private FieldParameters(String field, int start, int end) {
		this.field = field;
		this.at = start;
		this.end = end;
	}

	/**
	 * Whether a part of a field is a list of parameters, maybe an empty one, and nothing
	 * else.
	 */
	static boolean fill(String field, int start, int end) {
		FieldParameters parameters = new FieldParameters(field, start, end);
		while (parameters.take(';')) {
			if (!parameters.takeParameter()) {
				return false;
			}
		}
		return parameters.at == end;
	}

	private boolean takeParameter() {
		while (take(' ')) {
			// Any number of them
		}
		if (!isLowerCase(peek()) && peek() != '*') {
			return false;
		}
		while (isLowerCase(peek()) || isDigit(peek()) || "_-.*".indexOf(peek()) >= 0) {
			this.at++;
		}
		return !take('=') || takeValue();
	}

	private boolean takeValue() {
		char first = peek();
		if (first == '-' || isDigit(first)) {
			return takeNumber(true);
		}
		if (isLetter(first) || first == '*') {
			return takeToken();
		}
		this.at++;
		return switch (first) {
			case '"' -> takeString();
			case ':' -> takeBytes();
			case '?' -> take('0') || take('1');
			case '@' -> takeNumber(false);
			case '%' -> take('"') && takeDisplayString();
			default -> false;
		};
	}

	private boolean takeNumber(boolean mayHaveFraction) {
		take('-');
		int whole = takeDigits();
		if (!mayHaveFraction || !take('.')) {
			return whole > 0 && whole <= MAX_DIGITS;
		}
		int fraction = takeDigits();
		return whole > 0 && whole <= MAX_WHOLE_DIGITS && fraction > 0 && fraction <= MAX_FRACTION_DIGITS;
	}

	private int takeDigits() {
		int start = this.at;
		while (isDigit(peek())) {
			this.at++;
		}
		return this.at - start;
	}

	private boolean takeToken() {
		while (isLetter(peek()) || isDigit(peek()) || TOKEN_MARKS.indexOf(peek()) >= 0) {
			this.at++;
		}
		return true;
	}

	private boolean takeString() {
		while (this.at < this.end) {
			char next = this.field.charAt(this.at++);
			if (next == '"') {
				return true;
			}
			if ((next == '\\') ? !take('"') && !take('\\') : !isPrintable(next)) {
				return false;
			}
		}
		return false;
	}

	private boolean takeBytes() {
		while (isLetter(peek()) || isDigit(peek()) || "+/".indexOf(peek()) >= 0) {
			this.at++;
		}
		while (take('=')) {
			// Padding, which many leave out
		}
		return take(':');
	}

	private boolean takeDisplayString() {
		ByteBuffer bytes = ByteBuffer.allocate(this.end - this.at);
		while (this.at < this.end) {
			char next = this.field.charAt(this.at++);
			if (next == '"') {
				return decode(bytes.flip()) != null;
			}
			int code = (next == '%') ? takeHex() * 16 + takeHex() : next;
			if (!isPrintable(next) || code < 0) {
				return false;
			}
			bytes.put((byte) code);
		}
		return false;
	}

	/**
	 * The value of a digit, or a number that makes a sum negative.
	 */
	private int takeHex() {
		int digit = "0123456789abcdef".indexOf(peek());
		this.at++;
		return (digit >= 0) ? digit : -256;
	}

	private static @Nullable CharBuffer decode(ByteBuffer bytes) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(bytes);
		}
		catch (CharacterCodingException ex) {
			return null;
		}
	}

	private boolean take(char expected) {
		if (peek() != expected) {
			return false;
		}
		this.at++;
		return true;
	}

	/**
	 * The next character, or one that is never part of a field.
	 */
	private char peek() {
		return (this.at < this.end) ? this.field.charAt(this.at) : '\0';
	}

	private static boolean isLowerCase(char character) {
		return character >= 'a' && character <= 'z';
	}

	private static boolean isLetter(char character) {
		return isLowerCase(character) || (character >= 'A' && character <= 'Z');
	}

	private static boolean isDigit(char character) {
		return character >= '0' && character <= '9';
	}

	private static boolean isPrintable(char character) {
		return character >= ' ' && character <= '~';
	}

}
