package dev.idempotency;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The keys as their definition has them, slow and plain, and without a line of what is
 * under test.
 */
final class ReferenceKeys {

	private static final String DIGITS = "0123456789abcdef";

	private ReferenceKeys() {
	}

	static String sha256(String content) {
		return "ik_" + hex(digest("SHA-256", utf8(content))).substring(0, 32);
	}

	static String scoped(String scope, List<String> parts) {
		return sha256(scope + parts.stream().map((part) -> "\0" + part).collect(Collectors.joining()));
	}

	static String forArgs(String scope, Map<String, ? extends @Nullable Object> arguments) {
		return sha256(scope + "\0" + json(arguments));
	}

	static String uuid5(UUID namespace, String name) {
		byte[] start = new BigInteger(namespace.toString().replace("-", ""), 16).toByteArray();
		byte[] name8 = utf8(name);
		byte[] content = new byte[16 + name8.length];
		for (int i = 0; i < Math.min(16, start.length); i++) {
			content[15 - i] = start[start.length - 1 - i];
		}
		System.arraycopy(name8, 0, content, 16, name8.length);
		BigInteger bits = new BigInteger(1, Arrays.copyOf(digest("SHA-1", content), 16));
		// The version is the 13th digit of 32, the variant the two bits before the 17th
		bits = bits.clearBit(79).setBit(78).clearBit(77).setBit(76).setBit(63).clearBit(62);
		String hex = "0".repeat(32 - bits.toString(16).length()) + bits.toString(16);
		return String.join("-", hex.substring(0, 8), hex.substring(8, 12), hex.substring(12, 16), hex.substring(16, 20),
				hex.substring(20));
	}

	static String json(@Nullable Object value) {
		if (value instanceof Map<?, ?> map) {
			List<String> names = new ArrayList<>();
			map.keySet().forEach((name) -> names.add((String) name));
			names.sort(
					Comparator.comparing((name) -> name.getBytes(StandardCharsets.UTF_16BE), Arrays::compareUnsigned));
			return names.stream()
				.map((name) -> text(name) + ":" + json(map.get(name)))
				.collect(Collectors.joining(",", "{", "}"));
		}
		if (value instanceof List<?> list) {
			return list.stream().map(ReferenceKeys::json).collect(Collectors.joining(",", "[", "]"));
		}
		if (value instanceof Number number) {
			return number(new BigDecimal(number.toString()));
		}
		return (value instanceof String text) ? text(text) : String.valueOf(value);
	}

	/**
	 * Puts the point where it belongs, and cuts zeros off by hand.
	 */
	private static String number(BigDecimal number) {
		String digits = number.unscaledValue().abs().toString();
		int scale = number.scale();
		if (scale < 0) {
			digits += "0".repeat(-scale);
			scale = 0;
		}
		digits = "0".repeat(Math.max(0, scale + 1 - digits.length())) + digits;
		String whole = digits.substring(0, digits.length() - scale).replaceFirst("^0+(?=.)", "");
		String fraction = digits.substring(digits.length() - scale).replaceFirst("0+$", "");
		String plain = fraction.isEmpty() ? whole : whole + "." + fraction;
		return (number.signum() < 0) ? "-" + plain : plain;
	}

	private static String text(String text) {
		String shorts = "\"\"\\\\b\bf\fn\nr\rt\t";
		StringBuilder json = new StringBuilder("\"");
		text.codePoints().forEach((point) -> {
			int known = -1;
			for (int i = 1; i < shorts.length(); i += 2) {
				known = (shorts.charAt(i) == point) ? i - 1 : known;
			}
			if (known >= 0) {
				json.append('\\').append(shorts.charAt(known));
			}
			else if (point < 0x20) {
				json.append("\\u00").append(DIGITS.charAt(point >> 4)).append(DIGITS.charAt(point & 15));
			}
			else {
				json.appendCodePoint(point);
			}
		});
		return json.append('"').toString();
	}

	private static byte[] utf8(String text) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		text.codePoints().forEach((point) -> {
			if (point < 0x80) {
				bytes.write(point);
				return;
			}
			int following = (point < 0x800) ? 1 : (point < 0x10000) ? 2 : 3;
			bytes.write((0xf0 << (3 - following)) | (point >> (6 * following)));
			for (int i = following - 1; i >= 0; i--) {
				bytes.write(0x80 | ((point >> (6 * i)) & 0x3f));
			}
		});
		return bytes.toByteArray();
	}

	private static String hex(byte[] bytes) {
		StringBuilder hex = new StringBuilder();
		for (byte one : bytes) {
			hex.append(DIGITS.charAt((one >> 4) & 15)).append(DIGITS.charAt(one & 15));
		}
		return hex.toString();
	}

	private static byte[] digest(String algorithm, byte[] content) {
		try {
			return MessageDigest.getInstance(algorithm).digest(content);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
