package dev.idempotency.http;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.http.KeyHeader.Flaw;
import org.jspecify.annotations.Nullable;
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
		assertThat(parse(syntax)).isNull();
	}

	@ParameterizedTest
	@EnumSource
	void readsAQuotedKey(KeySyntax syntax) {
		assertThat(parse(syntax, '"' + UUID + '"')).isEqualTo(UUID);
	}

	@Test
	void readsABareKeyAsTheSameKey() {
		assertThat(parse(KeySyntax.LENIENT, UUID)).isEqualTo(parse(KeySyntax.LENIENT, '"' + UUID + '"'));
	}

	@Test
	void refusesABareKeyWhereOnlyQuotedOnesAreAllowed() {
		assertThat(parse(KeySyntax.STRICT, UUID)).isEqualTo(Flaw.NOT_QUOTED);
	}

	@ParameterizedTest
	@ValueSource(strings = { "order-1,order-2", "it's", "a;b=1", "a\\b", "a\"b", "a\"", "'a'", "?1", ":YQ==:", "~!" })
	void takesABareKeyLiterally(String key) {
		assertThat(parse(KeySyntax.LENIENT, key)).isEqualTo(key);
	}

	@ParameterizedTest
	@ValueSource(strings = { " k", "k ", " \t k\t \t" })
	void dropsBlanksAroundABareKey(String field) {
		assertThat(parse(KeySyntax.LENIENT, field)).isEqualTo("k");
	}

	@ParameterizedTest
	@ValueSource(strings = { " \"k\"", "\"k\" ", "\t\"k\"\t " })
	void dropsBlanksAroundAQuotedKey(String field) {
		assertThat(parse(KeySyntax.STRICT, field)).isEqualTo("k");
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '`',
			value = { "\"\\\"\",\"", "\"\\\\\",\\", "\"a\\\"b\",a\"b", "\"a\\\\\\\"\",a\\\"", "\"\\\\\\\\\",\\\\" })
	void understandsTheTwoEscapes(String field, String key) {
		assertThat(parse(KeySyntax.STRICT, field)).isEqualTo(key);
	}

	@ParameterizedTest
	@ValueSource(strings = { "\"\\n\"", "\"a\\ b\"", "\"\\u0041\"", "\"\\'\"" })
	void refusesOtherEscapes(String field) {
		assertThat(parse(KeySyntax.LENIENT, field)).isEqualTo(Flaw.BAD_ESCAPE);
	}

	@ParameterizedTest
	@ValueSource(strings = { "\"", "\"k", "\"k\\\"", "\"k\\", "\"k\\\\", "\" " })
	void refusesAQuoteThatIsNotClosed(String field) {
		assertThat(parse(KeySyntax.LENIENT, field)).isEqualTo(Flaw.UNTERMINATED);
	}

	@ParameterizedTest
	@ValueSource(strings = { "\"k\";a", "\"k\";a=1", "\"k\"; a=?0;b=tok/en;c=-1.5", "\"k\";*a_b-c.d=:YQ==:",
			"\"k\";a=\"x, \\\" ;\";b", "\"k\";a=@1700000000", "\"k\";   a" })
	void ignoresParameters(String field) {
		assertThat(parse(KeySyntax.STRICT, field)).isEqualTo("k");
	}

	@ParameterizedTest
	@ValueSource(strings = { ";a", ";a=1", ";a=%\"a%c3%bc\"", ";a=:YQ==:", ";a=\"\\\\\"" })
	void ignoresAsManyParametersAsThereAre(String parameter) {
		String many = "\"k\"" + parameter.repeat(100_000);
		assertThat(parse(KeySyntax.STRICT, many)).isEqualTo("k");
		assertThat(parse(KeySyntax.STRICT, many + ",")).isEqualTo(Flaw.TRAILING);
	}

	@ParameterizedTest
	@ValueSource(strings = { "\"k\"x", "\"k\" x", "\"k\"\"l\"", "\"k\", \"l\"", "\"k\",", "\"k\";a=1, \"l\"",
			"\"k\";a, \"l\"", "\"k\";a=1,l", "\"k\";a=\"x\", \"l\"", "\"k\";", "\"k\"; ", "\"k\" ;a", "\"k\";A",
			"\"k\";1", "\"k\";a=", "\"k\";a=;b", "\"k\";a=\"x", "\"k\";a=\"x\\", "\"k\";a=\"x\\\"", "\"k\";a=b c",
			"\"k\";a=\u00e9", "\"k\";a=\"\u00e9\"", "\"k\";a=\"\\n\"" })
	void refusesAnythingElseAfterTheKey(String field) {
		assertThat(parse(KeySyntax.LENIENT, field)).isEqualTo(Flaw.TRAILING);
	}

	@ParameterizedTest
	@MethodSource("everyFieldTwice")
	void refusesTheHeaderTwice(List<String> fields) {
		for (KeySyntax syntax : KeySyntax.values()) {
			assertThat(parse(syntax, fields.toArray(String[]::new))).isEqualTo(Flaw.REPEATED);
		}
	}

	static Stream<List<String>> everyFieldTwice() {
		return Stream.of(List.of("\"k\"", "\"l\""), List.of("\"k\"", "\"k\""), List.of("k", ""), List.of("", ""));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "\t \t", "\"\"", " \"\" ", "\"\";a=1" })
	void refusesAnEmptyKey(String field) {
		for (KeySyntax syntax : KeySyntax.values()) {
			assertThat(parse(syntax, field)).isEqualTo(Flaw.EMPTY);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "a b", "a\tb", "a\u0000", "\u007f", "\u00e9", "\u20ac", "\u00a0", "\ud83d\ude00", "k, l",
			"\"a b\"", "\" \"", "\"\u00e9\"", "\"a\u0000\"", "\"\t\"" })
	void refusesWhatIsNotVisibleAscii(String field) {
		assertThat(parse(KeySyntax.LENIENT, field)).isEqualTo(Flaw.BAD_CHARACTER);
	}

	@Test
	void allows255CharactersAndNoMore() {
		String longest = "k".repeat(255);
		assertThat(parse(KeySyntax.LENIENT, longest)).isEqualTo(longest);
		assertThat(parse(KeySyntax.STRICT, '"' + longest + '"')).isEqualTo(longest);
		assertThat(parse(KeySyntax.LENIENT, longest + "k")).isEqualTo(Flaw.TOO_LONG);
		assertThat(parse(KeySyntax.STRICT, '"' + longest + "k\"")).isEqualTo(Flaw.TOO_LONG);
	}

	@Test
	void countsWhatIsLeftAfterUnquoting() {
		assertThat(parse(KeySyntax.STRICT, '"' + "\\\"".repeat(255) + '"')).isEqualTo("\"".repeat(255));
		assertThat(parse(KeySyntax.STRICT, '"' + "\\\"".repeat(256) + '"')).isEqualTo(Flaw.TOO_LONG);
	}

	@ParameterizedTest
	@EnumSource
	void saysWhatToDo(Flaw problem) {
		assertThat(problem.advice()).matches("(The key|Something).+: .+\\.");
	}

	/**
	 * The key, or what is wrong with it.
	 */
	private static @Nullable Object parse(KeySyntax syntax, String... fields) {
		try {
			return KeyHeader.parse(List.of(fields), syntax);
		}
		catch (IdempotencyKeyInvalidException ex) {
			return Arrays.stream(Flaw.values())
				.filter((flaw) -> flaw.advice().equals(ex.getMessage()))
				.findFirst()
				.orElseThrow();
		}
	}

}
