package dev.idempotency.http;

import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

import dev.idempotency.http.KeyHeader.Flaw;
import dev.idempotency.http.KeyHeader.Parsed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class KeyHeaderTests {

	private static final String UUID = "8e03978e-40d5-43e8-bc93-6894a57f9324";

	@ParameterizedTest
	@EnumSource
	void isAbsentWithoutTheHeader(KeySyntax syntax) {
		assertThat(parse(syntax)).isEqualTo(Parsed.Absent.INSTANCE);
	}

	@ParameterizedTest
	@EnumSource
	void readsAQuotedKey(KeySyntax syntax) {
		assertThat(parse(syntax, '"' + UUID + '"')).isEqualTo(new Parsed.Key(UUID));
	}

	@Test
	void readsABareKeyAsTheSameKey() {
		assertThat(parse(KeySyntax.LENIENT, UUID)).isEqualTo(parse(KeySyntax.LENIENT, '"' + UUID + '"'));
	}

	@Test
	void refusesABareKeyWhereOnlyQuotedOnesAreAllowed() {
		assertThat(parse(KeySyntax.STRICT, UUID)).isEqualTo(new Parsed.Invalid(Flaw.NOT_QUOTED));
	}

	@ParameterizedTest
	@ValueSource(strings = { "order-1,order-2", "it's", "a;b=1", "a\\b", "a\"b", "a\"", "'a'", "?1", ":YQ==:", "~!" })
	void takesABareKeyLiterally(String key) {
		assertThat(parse(KeySyntax.LENIENT, key)).isEqualTo(new Parsed.Key(key));
	}

	@ParameterizedTest
	@ValueSource(strings = { " k", "k ", " \t k\t \t" })
	void dropsBlanksAroundABareKey(String field) {
		assertThat(parse(KeySyntax.LENIENT, field)).isEqualTo(new Parsed.Key("k"));
	}

	@ParameterizedTest
	@ValueSource(strings = { " \"k\"", "\"k\" ", "\t\"k\"\t " })
	void dropsBlanksAroundAQuotedKey(String field) {
		assertThat(parse(KeySyntax.STRICT, field)).isEqualTo(new Parsed.Key("k"));
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '`',
			value = { "\"\\\"\",\"", "\"\\\\\",\\", "\"a\\\"b\",a\"b", "\"a\\\\\\\"\",a\\\"", "\"\\\\\\\\\",\\\\" })
	void understandsTheTwoEscapes(String field, String key) {
		assertThat(parse(KeySyntax.STRICT, field)).isEqualTo(new Parsed.Key(key));
	}

	@ParameterizedTest
	@ValueSource(strings = { "\"\\n\"", "\"a\\ b\"", "\"\\u0041\"", "\"\\'\"" })
	void refusesOtherEscapes(String field) {
		assertThat(parse(KeySyntax.LENIENT, field)).isEqualTo(new Parsed.Invalid(Flaw.BAD_ESCAPE));
	}

	@ParameterizedTest
	@ValueSource(strings = { "\"", "\"k", "\"k\\\"", "\"k\\", "\"k\\\\", "\" " })
	void refusesAQuoteThatIsNotClosed(String field) {
		assertThat(parse(KeySyntax.LENIENT, field)).isEqualTo(new Parsed.Invalid(Flaw.UNTERMINATED));
	}

	@ParameterizedTest
	@ValueSource(strings = { "\"k\";a", "\"k\";a=1", "\"k\"; a=?0;b=tok/en;c=-1.5", "\"k\";*a_b-c.d=:YQ==:",
			"\"k\";a=\"x, \\\" ;\";b", "\"k\";a=@1700000000", "\"k\";   a" })
	void ignoresParameters(String field) {
		assertThat(parse(KeySyntax.STRICT, field)).isEqualTo(new Parsed.Key("k"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "\"k\"x", "\"k\" x", "\"k\"\"l\"", "\"k\", \"l\"", "\"k\",", "\"k\";a=1, \"l\"",
			"\"k\";a, \"l\"", "\"k\";a=1,l", "\"k\";a=\"x\", \"l\"", "\"k\";", "\"k\"; ", "\"k\" ;a", "\"k\";A",
			"\"k\";1", "\"k\";a=", "\"k\";a=;b", "\"k\";a=\"x", "\"k\";a=\"x\\", "\"k\";a=\"x\\\"", "\"k\";a=b c",
			"\"k\";a=\u00e9", "\"k\";a=\"\u00e9\"", "\"k\";a=\"\\n\"" })
	void refusesAnythingElseAfterTheKey(String field) {
		assertThat(parse(KeySyntax.LENIENT, field)).isEqualTo(new Parsed.Invalid(Flaw.TRAILING));
	}

	@ParameterizedTest
	@MethodSource("everyFieldTwice")
	void refusesTheHeaderTwice(List<String> fields) {
		for (KeySyntax syntax : KeySyntax.values()) {
			assertThat(parse(syntax, fields.toArray(String[]::new))).isEqualTo(new Parsed.Invalid(Flaw.REPEATED));
		}
	}

	static Stream<List<String>> everyFieldTwice() {
		return Stream.of(List.of("\"k\"", "\"l\""), List.of("\"k\"", "\"k\""), List.of("k", ""), List.of("", ""));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "\t \t", "\"\"", " \"\" ", "\"\";a=1" })
	void refusesAnEmptyKey(String field) {
		for (KeySyntax syntax : KeySyntax.values()) {
			assertThat(parse(syntax, field)).isEqualTo(new Parsed.Invalid(Flaw.EMPTY));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "a b", "a\tb", "a\u0000", "\u007f", "\u00e9", "\u20ac", "\u00a0", "\ud83d\ude00", "k, l",
			"\"a b\"", "\" \"", "\"\u00e9\"", "\"a\u0000\"", "\"\t\"" })
	void refusesWhatIsNotVisibleAscii(String field) {
		assertThat(parse(KeySyntax.LENIENT, field)).isEqualTo(new Parsed.Invalid(Flaw.BAD_CHARACTER));
	}

	@Test
	void allows255CharactersAndNoMore() {
		String longest = "k".repeat(255);
		assertThat(parse(KeySyntax.LENIENT, longest)).isEqualTo(new Parsed.Key(longest));
		assertThat(parse(KeySyntax.STRICT, '"' + longest + '"')).isEqualTo(new Parsed.Key(longest));
		assertThat(parse(KeySyntax.LENIENT, longest + "k")).isEqualTo(new Parsed.Invalid(Flaw.TOO_LONG));
		assertThat(parse(KeySyntax.STRICT, '"' + longest + "k\"")).isEqualTo(new Parsed.Invalid(Flaw.TOO_LONG));
	}

	@Test
	void countsWhatIsLeftAfterUnquoting() {
		assertThat(parse(KeySyntax.STRICT, '"' + "\\\"".repeat(255) + '"')).isEqualTo(new Parsed.Key("\"".repeat(255)));
		assertThat(parse(KeySyntax.STRICT, '"' + "\\\"".repeat(256) + '"'))
			.isEqualTo(new Parsed.Invalid(Flaw.TOO_LONG));
	}

	@Test
	void keepsTheKeyOutOfLogs() {
		assertThat(new Parsed.Key("secret")).hasToString("Key[6 characters]");
	}

	@ParameterizedTest
	@EnumSource
	void saysWhatToDo(Flaw problem) {
		assertThat(problem.advice()).matches("(The key|Something).+: .+\\.");
	}

	private static Parsed parse(KeySyntax syntax, String... fields) {
		return KeyHeader.parse(Collections.enumeration(List.of(fields)), syntax);
	}

}
