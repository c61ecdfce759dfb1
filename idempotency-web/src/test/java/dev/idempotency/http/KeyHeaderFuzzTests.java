package dev.idempotency.http;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.http.KeyHeader.Flaw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Repeats the inputs in the resources. How to look for new ones stands in
 * CONTRIBUTING.md.
 */
class KeyHeaderFuzzTests {

	private static final int LONGEST_FIELD = 1500;

	/**
	 * The rules once more, as a regular expression: slow, and easily compared with the
	 * RFC.
	 */
	private static final Pattern QUOTED = Pattern.compile(
			"\"(?<key>(?:[!#-\\[\\]-~]|\\\\[\"\\\\])*)\"(?:; *[a-z*][a-z0-9_.*-]*(?:=(?:\"(?:[ !#-\\[\\]-~]|\\\\[\"\\\\])*\""
					+ "|[!#-+\\--:<-~]+))?)*");

	private static final Pattern BARE = Pattern.compile("[!#-~][!-~]{0,254}");

	@FuzzTest
	void agreesWithTheReference(byte[] data) {
		// A field never contains a line feed, so that one separates the fields
		List<String> fields = List.of(new String(data, StandardCharsets.UTF_8).split("\n", -1));
		for (KeySyntax syntax : KeySyntax.values()) {
			if (fields.size() > 1) {
				assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
					.isThrownBy(() -> KeyHeader.parse(fields, syntax))
					.withMessage(Flaw.REPEATED.advice());
				continue;
			}
			String key = parse(fields.get(0), syntax);
			if (fields.get(0).length() <= LONGEST_FIELD) {
				assertThat(key).isEqualTo(reference(fields.get(0), syntax));
			}
			if (!key.isEmpty()) {
				checkKey(key);
			}
		}
	}

	private static void checkKey(String key) {
		assertThat(key).hasSizeBetween(1, 255).matches("[!-~]+");
		String quoted = '"' + key.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
		for (String field : List.of(quoted, " " + quoted + "\t", quoted + ";a", quoted + "; a=\"" + "\";*b=c")) {
			assertThat(parse(field, KeySyntax.LENIENT)).isEqualTo(key);
			assertThat(parse(field, KeySyntax.STRICT)).isEqualTo(key);
		}
		for (String field : List.of(quoted + ",", quoted + ", " + quoted, quoted + ";", quoted + "x", "x " + quoted)) {
			assertThat(parse(field, KeySyntax.LENIENT)).isEmpty();
		}
		assertThat(parse(key, KeySyntax.STRICT)).isNotEqualTo(key);
		if (key.charAt(0) != '"') {
			assertThat(parse(key, KeySyntax.LENIENT)).isEqualTo(key);
		}
	}

	private static String reference(String field, KeySyntax syntax) {
		String trimmed = field.replaceAll("^[ \t]+", "").replaceAll("[ \t]+$", "");
		Matcher quoted = QUOTED.matcher(trimmed);
		if (quoted.matches()) {
			String key = quoted.group("key").replaceAll("\\\\(.)", "$1");
			return (key.length() <= 255) ? key : "";
		}
		return (syntax == KeySyntax.LENIENT && BARE.matcher(trimmed).matches()) ? trimmed : "";
	}

	/**
	 * The key, or nothing if there is none.
	 */
	private static String parse(String field, KeySyntax syntax) {
		try {
			return Objects.requireNonNull(KeyHeader.parse(List.of(field), syntax));
		}
		catch (IdempotencyKeyInvalidException ex) {
			return "";
		}
	}

}
