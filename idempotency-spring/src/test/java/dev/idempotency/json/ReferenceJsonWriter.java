package dev.idempotency.json;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.regex.Matcher;

import dev.idempotency.json.ReferenceJson.Member;

/**
 * Writes a value in one of the many ways there are: members in any order, white space
 * wherever it may be, strings escaped or not, numbers with their point somewhere else.
 */
final class ReferenceJsonWriter {

	private static final List<String> BLANKS = List.of("", "", "", " ", "\n", "\t", "\r\n", "  ");

	private static final String SHORT_ESCAPES = "\"\\/\b\f\n\r\t";

	private final Random random;

	private final StringBuilder json = new StringBuilder();

	ReferenceJsonWriter(Random random) {
		this.random = random;
	}

	byte[] write(ReferenceJson value) {
		this.json.setLength(0);
		append(value);
		return this.json.toString().getBytes(StandardCharsets.UTF_8);
	}

	private void append(ReferenceJson value) {
		blanks();
		if (value instanceof ReferenceJson.Plain plain) {
			appendPlain(plain.text());
		}
		else if (value instanceof ReferenceJson.Text text) {
			append(text.value());
		}
		else if (value instanceof ReferenceJson.Array array) {
			appendArray(array);
		}
		else if (value instanceof ReferenceJson.Members object) {
			appendObject(object);
		}
		blanks();
	}

	private void appendPlain(String text) {
		Matcher number = ReferenceJson.NUMBER.matcher(text);
		boolean other = number.matches() && (number.group(5) == null || number.group(5).length() < 10)
				&& text.length() < 100 && this.random.nextBoolean();
		if (!other) {
			this.json.append(text);
			return;
		}
		// Digits, a point and an exponent: any other split says the same
		String fraction = (number.group(3) != null) ? number.group(3) : "";
		int zeros = this.random.nextInt(3);
		String digits = (number.group(2) + fraction).replaceFirst("^0+(?=.)", "") + "0".repeat(zeros);
		// No zeros at the beginning
		int whole = digits.startsWith("0") ? 1 : 1 + this.random.nextInt(digits.length());
		int moved = digits.length() - whole - zeros - fraction.length();
		BigInteger exponent = BigInteger.valueOf(moved);
		if (number.group(5) != null) {
			exponent = exponent
				.add(new BigInteger("-".equals(number.group(4)) ? "-0" + number.group(5) : "0" + number.group(5)));
		}
		this.json.append(number.group(1)).append(digits, 0, whole);
		if (whole < digits.length()) {
			this.json.append('.').append(digits, whole, digits.length());
		}
		if (exponent.signum() != 0 || this.random.nextBoolean()) {
			String plus = (exponent.signum() >= 0 && this.random.nextBoolean()) ? "+" : "";
			this.json.append(this.random.nextBoolean() ? 'e' : 'E').append(plus).append(exponent);
		}
	}

	private void appendArray(ReferenceJson.Array array) {
		String separator = "[";
		for (ReferenceJson element : array.elements()) {
			this.json.append(separator);
			append(element);
			separator = ",";
		}
		close(array.elements().isEmpty(), "[", "]");
	}

	private void appendObject(ReferenceJson.Members object) {
		String separator = "{";
		for (Member member : shuffle(object.members())) {
			this.json.append(separator);
			blanks();
			append(member.name());
			blanks();
			this.json.append(':');
			append(member.value());
			separator = ",";
		}
		close(object.members().isEmpty(), "{", "}");
	}

	private void close(boolean empty, String open, String close) {
		if (empty) {
			this.json.append(open);
			blanks();
		}
		this.json.append(close);
	}

	/**
	 * Any order in which members of the same name follow each other as before.
	 */
	private List<Member> shuffle(List<Member> members) {
		Map<String, Queue<Member>> byName = new HashMap<>();
		List<Queue<Member>> order = new ArrayList<>();
		for (Member member : members) {
			Queue<Member> sameName = byName.computeIfAbsent(member.name(), (name) -> new ArrayDeque<>());
			sameName.add(member);
			order.add(sameName);
		}
		Collections.shuffle(order, this.random);
		return order.stream().map(Queue::remove).toList();
	}

	private void append(String text) {
		this.json.append('"');
		for (int i = 0; i < text.length(); i++) {
			char character = text.charAt(i);
			boolean pair = i + 1 < text.length() && Character.isSurrogatePair(character, text.charAt(i + 1));
			if (pair && this.random.nextBoolean()) {
				this.json.append(character).append(text.charAt(i + 1));
				i++;
			}
			else if (pair) {
				escape(character);
				escape(text.charAt(i + 1));
				i++;
			}
			else if (mustBeEscaped(character) || this.random.nextInt(4) == 0) {
				escape(character);
			}
			else {
				this.json.append(character);
			}
		}
		this.json.append('"');
	}

	private static boolean mustBeEscaped(char character) {
		return character < ' ' || character == '"' || character == '\\' || Character.isSurrogate(character);
	}

	private void escape(char character) {
		int index = SHORT_ESCAPES.indexOf(character);
		if (index >= 0 && this.random.nextBoolean()) {
			this.json.append('\\').append("\"\\/bfnrt".charAt(index));
		}
		else {
			this.json.append((this.random.nextBoolean() ? "\\u%04x" : "\\u%04X").formatted((int) character));
		}
	}

	private void blanks() {
		this.json.append(BLANKS.get(this.random.nextInt(BLANKS.size())));
	}

}
