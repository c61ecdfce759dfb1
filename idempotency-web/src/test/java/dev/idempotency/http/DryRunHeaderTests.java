package dev.idempotency.http;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyKeyInvalidException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Booleans of structured fields, by the public test vectors of the HTTP working group.
 */
class DryRunHeaderTests {

	@Test
	void isNoDryRunWithoutTheHeader() {
		assertThat(parse(List.of())).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "?1", "true", "TRUE", " ?1 ", "?1\t", "?1;a", "?1; a=1;b=?0", "true;a", "?1;a=\"x, y\"" })
	void isADryRun(String field) {
		assertThat(parse(List.of(field))).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "?0", "false", "False", " ?0 ", "?0;a=?1", "false;a" })
	void isNone(String field) {
		assertThat(parse(List.of(field))).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "1", "0", "yes", "no", "on", "?", "?1 ;a", "?1;", "?1;A", "?1;a=", "?1, ?1",
			"?1,", "?01", "?1?1", "truely", "(?1)", "\"true\"", "?1;a=\"", "?1;a=?2", "?0;a=1234567890123456" })
	void isNeither(String field) {
		assertRefused(List.of(field));
	}

	@Test
	void isNeitherWhereItWasSentTwice() {
		assertRefused(List.of("?1", "?1"));
		assertRefused(List.of("?0", "?0"));
		assertRefused(List.of("?0", ""));
	}

	@ParameterizedTest
	@MethodSource("vectors")
	void agreesWithTheVectors(Vector vector) {
		if (vector.isBoolean()) {
			assertThat(parse(vector.raw())).isEqualTo(vector.node().get("expected").get(0).booleanValue());
		}
		else {
			assertRefused(vector.raw());
		}
	}

	/**
	 * What is an item is also the value of a parameter.
	 */
	@ParameterizedTest
	@MethodSource("values")
	void followsParametersAsTheVectorsDo(Vector vector) {
		String value = vector.raw().get(0);
		List<String> dryRun = List.of("?1;a=" + value + ";b");
		List<String> key = List.of("\"k\";a=" + value);
		// What is ignored is not decoded
		if (vector.isValid() || vector.toString().matches(".*bad display string utf-8 .* (seq|sequence id)\\)")) {
			assertThat(parse(dryRun)).isTrue();
			assertThat(KeyHeader.parse(key, KeySyntax.STRICT)).isEqualTo("k");
		}
		else {
			assertRefused(dryRun);
			assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
				.isThrownBy(() -> KeyHeader.parse(key, KeySyntax.STRICT));
		}
	}

	private static boolean parse(List<String> fields) {
		return DryRunHeader.asksForDryRun(fields);
	}

	private static void assertRefused(List<String> fields) {
		assertThatExceptionOfType(DryRunInvalidException.class).isThrownBy(() -> parse(fields));
	}

	static Stream<Vector> vectors() throws IOException {
		try (InputStream file = DryRunHeaderTests.class.getResourceAsStream("/structured-fields/items.json")) {
			JsonNode all = JsonMapper.shared().readTree(Objects.requireNonNull(file));
			assertThat(all.size()).isGreaterThan(300);
			return all.valueStream().map(Vector::new);
		}
	}

	/**
	 * Those that are one line, and a value with nothing around it.
	 */
	static Stream<Vector> values() throws IOException {
		return vectors().filter((vector) -> vector.raw().size() == 1 && !vector.raw().get(0).contains(";")
				&& vector.raw().get(0).equals(vector.raw().get(0).strip())
				&& !vector.node().path("can_fail").asBoolean(false));
	}

	record Vector(JsonNode node) {

		List<String> raw() {
			return this.node.get("raw").valueStream().map(JsonNode::stringValue).toList();
		}

		boolean isValid() {
			return !this.node.path("must_fail").asBoolean(false);
		}

		boolean isBoolean() {
			return isValid() && this.node.get("expected").get(0).isBoolean();
		}

		@Override
		public String toString() {
			return this.node.get("file").stringValue() + ": " + this.node.get("name").stringValue();
		}

	}

}
