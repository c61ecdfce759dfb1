package dev.idempotency.json;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * JSON as RFC 8259 has it, read and written in the plainest way: what
 * {@link CanonicalJson} is held against.
 */
sealed interface ReferenceJson {

	/**
	 * Of an exponent, without zeros before it.
	 */
	Pattern NUMBER = Pattern.compile("(-?)([0-9]+)(?:\\.([0-9]+))?(?:[eE]([-+]?)0*([0-9]*))?");

	/**
	 * A value that is what is written, namely a number, {@code true}, {@code false} or
	 * {@code null}.
	 */
	record Plain(String text) implements ReferenceJson {
	}

	record Text(String value) implements ReferenceJson {
	}

	record Array(List<ReferenceJson> elements) implements ReferenceJson {
	}

	record Members(List<Member> members) implements ReferenceJson {
	}

	record Member(String name, ReferenceJson value) {
	}

	/**
	 * The value, or nothing if this is no JSON text or is nested too deeply.
	 */
	static @Nullable ReferenceJson parse(byte[] json) {
		String text = new String(json, StandardCharsets.UTF_8);
		if (!Arrays.equals(text.getBytes(StandardCharsets.UTF_8), json)) {
			return null;
		}
		try {
			return new Reader(text).readAll();
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	/**
	 * A text that two values share when they are the same but for the order of members
	 * and for how numbers are written.
	 */
	default String canonical() {
		if (this instanceof Array array) {
			return array.elements.stream().map(ReferenceJson::canonical).collect(Collectors.joining(",", "[", "]"));
		}
		if (this instanceof Members object) {
			return object.members.stream()
				.sorted(Comparator.comparing(Member::name))
				.map((member) -> escape(member.name) + ":" + member.value.canonical())
				.collect(Collectors.joining(",", "{", "}"));
		}
		return (this instanceof Text text) ? escape(text.value) : value(((Plain) this).text);
	}

	/**
	 * A word, or the value of a number in the simplest way to say it.
	 */
	private static String value(String text) {
		Matcher number = NUMBER.matcher(text);
		if (!number.matches()) {
			return text;
		}
		String fraction = (number.group(3) != null) ? number.group(3) : "";
		String digits = (number.group(2) + fraction).replaceFirst("^0+", "");
		String significant = digits.replaceFirst("0+$", "");
		String exponent = (number.group(5) != null) ? number.group(5) : "";
		if (significant.isEmpty()) {
			return "0";
		}
		if (exponent.length() > 18) {
			return text;
		}
		BigInteger written = new BigInteger("-".equals(number.group(4)) ? "-0" + exponent : "0" + exponent);
		return number.group(1) + significant + "e"
				+ written.add(BigInteger.valueOf(digits.length() - significant.length() - fraction.length()));
	}

	private static String escape(String text) {
		return text.chars().mapToObj("\\u%04x"::formatted).collect(Collectors.joining("", "\"", "\""));
	}

	final class Reader {

		private static final int DEEPEST = 500;

		private final String text;

		private int at;

		private int depth;

		private Reader(String text) {
			this.text = text;
		}

		private ReferenceJson readAll() {
			ReferenceJson value = readValue();
			require(this.at == this.text.length());
			return value;
		}

		private ReferenceJson readValue() {
			skipBlanks();
			ReferenceJson value = switch (peek()) {
				case '[' -> readArray();
				case '{' -> readObject();
				case '"' -> new Text(readString());
				case 't' -> readWord("true");
				case 'f' -> readWord("false");
				case 'n' -> readWord("null");
				default -> readNumber();
			};
			skipBlanks();
			return value;
		}

		private Array readArray() {
			enter();
			List<ReferenceJson> elements = new ArrayList<>();
			if (peek() != ']') {
				do {
					elements.add(readValue());
				}
				while (skip(','));
			}
			leave(']');
			return new Array(elements);
		}

		private Members readObject() {
			enter();
			List<Member> members = new ArrayList<>();
			if (peek() != '}') {
				do {
					skipBlanks();
					String name = readString();
					skipBlanks();
					require(skip(':'));
					members.add(new Member(name, readValue()));
				}
				while (skip(','));
			}
			leave('}');
			return new Members(members);
		}

		private void enter() {
			this.at++;
			this.depth++;
			require(this.depth <= DEEPEST);
			skipBlanks();
		}

		private void leave(char close) {
			require(skip(close));
			this.depth--;
		}

		private String readString() {
			require(skip('"'));
			StringBuilder string = new StringBuilder();
			while (!skip('"')) {
				char character = next();
				require(character >= ' ');
				string.append((character == '\\') ? readEscape() : character);
			}
			return string.toString();
		}

		private char readEscape() {
			char character = next();
			if (character == 'u') {
				int code = 0;
				for (int i = 0; i < 4; i++) {
					int digit = "0123456789abcdef".indexOf(Character.toLowerCase(next()));
					require(digit >= 0);
					code = code * 16 + digit;
				}
				return (char) code;
			}
			int index = "\"\\/bfnrt".indexOf(character);
			require(index >= 0);
			return "\"\\/\b\f\n\r\t".charAt(index);
		}

		private Plain readWord(String word) {
			require(this.text.startsWith(word, this.at));
			this.at += word.length();
			return new Plain(word);
		}

		private Plain readNumber() {
			int start = this.at;
			skip('-');
			if (!skip('0')) {
				readDigits();
			}
			if (skip('.')) {
				readDigits();
			}
			if (skip('e') || skip('E')) {
				if (!skip('-')) {
					skip('+');
				}
				readDigits();
			}
			return new Plain(this.text.substring(start, this.at));
		}

		private void readDigits() {
			require(isDigit(peek()));
			while (isDigit(peek())) {
				this.at++;
			}
		}

		private static boolean isDigit(char character) {
			return character >= '0' && character <= '9';
		}

		private void skipBlanks() {
			while (peek() != 0 && " \t\r\n".indexOf(peek()) >= 0) {
				this.at++;
			}
		}

		private boolean skip(char character) {
			boolean found = peek() == character;
			this.at += found ? 1 : 0;
			return found;
		}

		private char next() {
			require(this.at < this.text.length());
			return this.text.charAt(this.at++);
		}

		/**
		 * The next character, or at the end one that is found nowhere in JSON.
		 */
		private char peek() {
			return (this.at < this.text.length()) ? this.text.charAt(this.at) : 0;
		}

		private static void require(boolean condition) {
			if (!condition) {
				throw new IllegalArgumentException();
			}
		}

	}

}
