package dev.idempotency;

import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.temporal.TemporalAccessor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

/**
 * Writes arguments as canonical JSON: members sorted by the UTF-16 units of their names,
 * items of sets by their JSON, no white space, only mandatory escapes, and numbers
 * without exponent or trailing zeros. Other languages can produce the same text. It is
 * not the form in which the library digests JSON, but the two agree on what is equal.
 */
final class CanonicalArguments {

	private static final int MAX_DEPTH = 100;

	/**
	 * The widest number that is written out, in digits.
	 */
	private static final int MAX_DIGITS = 1000;

	private final StringBuilder json = new StringBuilder();

	private CanonicalArguments() {
	}

	static String toJson(@Nullable Object value) {
		CanonicalArguments writer = new CanonicalArguments();
		writer.write(value, 0);
		return writer.json.toString();
	}

	private void write(@Nullable Object value, int depth) {
		if (depth > MAX_DEPTH) {
			throw new IllegalArgumentException(
					"The arguments are nested more than %d deep, or contain themselves".formatted(MAX_DEPTH));
		}
		if (value == null || value instanceof Boolean) {
			this.json.append(value);
		}
		else if (value instanceof Number number) {
			this.json.append(plain(number));
		}
		else if (value instanceof Enum<?> constant) {
			writeText(constant.name());
		}
		else if (value instanceof CharSequence || value instanceof Character || value instanceof UUID
				|| value instanceof TemporalAccessor) {
			writeText(value.toString());
		}
		else if (value instanceof Map<?, ?> map) {
			writeMembers(map, depth);
		}
		else if (value instanceof Set<?> items) {
			writeSet(items, depth);
		}
		// No other collection: its iteration may have no stable order
		else if (value instanceof List<?> items) {
			writeItems(items, depth);
		}
		else if (value.getClass().isArray()) {
			writeItems(IntStream.range(0, Array.getLength(value)).mapToObj((i) -> Array.get(value, i)).toList(), depth);
		}
		else {
			throw new IllegalArgumentException(
					"A key cannot be made of a %s: use strings, numbers, booleans, maps, lists and sets"
						.formatted(value.getClass().getName()));
		}
	}

	private void writeMembers(Map<?, ?> map, int depth) {
		TreeMap<String, @Nullable Object> sorted = new TreeMap<>();
		map.forEach((name, member) -> {
			if (!(name instanceof CharSequence) && !(name instanceof Enum<?>)) {
				throw new IllegalArgumentException("The names of a map in a key must be strings or enums");
			}
			String text = (name instanceof Enum<?> constant) ? constant.name() : name.toString();
			if (sorted.containsKey(text)) {
				throw new IllegalArgumentException("Two members of a map in a key have the same name");
			}
			sorted.put(text, member);
		});
		char separator = '{';
		for (Map.Entry<String, @Nullable Object> member : sorted.entrySet()) {
			this.json.append(separator);
			writeText(member.getKey());
			this.json.append(':');
			write(member.getValue(), depth + 1);
			separator = ',';
		}
		this.json.append(sorted.isEmpty() ? "{}" : "}");
	}

	private void writeItems(List<?> items, int depth) {
		char separator = '[';
		for (Object item : items) {
			this.json.append(separator);
			write(item, depth + 1);
			separator = ',';
		}
		this.json.append(items.isEmpty() ? "[]" : "]");
	}

	private void writeSet(Set<?> items, int depth) {
		List<String> sorted = new ArrayList<>();
		for (Object item : items) {
			CanonicalArguments writer = new CanonicalArguments();
			writer.write(item, depth + 1);
			sorted.add(writer.json.toString());
		}
		Collections.sort(sorted);
		this.json.append('[').append(String.join(",", sorted)).append(']');
	}

	private void writeText(String text) {
		this.json.append('"');
		for (int i = 0; i < text.length(); i++) {
			char character = text.charAt(i);
			switch (character) {
				case '"' -> this.json.append("\\\"");
				case '\\' -> this.json.append("\\\\");
				case '\b' -> this.json.append("\\b");
				case '\f' -> this.json.append("\\f");
				case '\n' -> this.json.append("\\n");
				case '\r' -> this.json.append("\\r");
				case '\t' -> this.json.append("\\t");
				default -> {
					if (character < ' ') {
						this.json.append("\\u%04x".formatted((int) character));
					}
					else {
						this.json.append(character);
					}
				}
			}
		}
		this.json.append('"');
	}

	private static String plain(Number number) {
		BigDecimal value = exact(number);
		if (value.signum() == 0) {
			return "0";
		}
		BigDecimal stripped = value.stripTrailingZeros();
		if (stripped.precision() > MAX_DIGITS || Math.abs((long) stripped.scale()) > MAX_DIGITS) {
			throw new IllegalArgumentException("A number in a key has more than %d digits".formatted(MAX_DIGITS));
		}
		return stripped.toPlainString();
	}

	private static BigDecimal exact(Number number) {
		if (number instanceof BigDecimal decimal) {
			return decimal;
		}
		if (number instanceof BigInteger integer) {
			return new BigDecimal(integer);
		}
		try {
			// By its text: 0.1f and 0.1 are the same argument
			return new BigDecimal(number.toString());
		}
		catch (NumberFormatException ex) {
			throw new IllegalArgumentException("A key cannot be made of the number " + number, ex);
		}
	}

}
