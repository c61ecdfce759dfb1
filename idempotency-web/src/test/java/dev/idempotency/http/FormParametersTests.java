package dev.idempotency.http;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

class FormParametersTests {

	@Test
	void readsNamesAndValues() {
		assertThat(parse("amount=5&item=a")).containsExactly(entry("amount", List.of("5")),
				entry("item", List.of("a")));
	}

	@Test
	void keepsTheOrderOfTheValuesOfOneName() {
		assertThat(parse("b=2&a=1&b=1&b=2")).containsExactly(entry("b", List.of("2", "1", "2")),
				entry("a", List.of("1")));
	}

	@Test
	void putsTheParametersOfTheQueryFirst() {
		Map<String, String[]> query = Map.of("item", new String[] { "q1", "q2" });
		assertThat(asLists(
				FormParameters.parse(query, "item=b&other=c".getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8)))
			.containsExactly(entry("item", List.of("q1", "q2", "b")), entry("other", List.of("c")));
		assertThat(query.get("item")).containsExactly("q1", "q2");
	}

	@Test
	void decodesBlanksAndEscapes() {
		assertThat(parse("a+b=c+d%20e%2Bf%26g%3Dh")).containsExactly(entry("a b", List.of("c d e+f&g=h")));
		assertThat(parse("price=5+%E2%82%AC&note=%F0%9D%84%9E")).containsExactly(entry("price", List.of("5 €")),
				entry("note", List.of("𝄞")));
	}

	@Test
	void decodesInTheCharsetOfTheBody() {
		assertThat(parse("a=%FC", StandardCharsets.ISO_8859_1)).containsExactly(entry("a", List.of("ü")));
		assertThat(parse("a=%C3%BC&b=ü", StandardCharsets.UTF_8)).containsExactly(entry("a", List.of("ü")),
				entry("b", List.of("ü")));
		assertThat(parse("a=ü", StandardCharsets.ISO_8859_1)).containsExactly(entry("a", List.of("ü")));
	}

	@Test
	void takesWhatHasNoValueForEmpty() {
		assertThat(parse("a&b=&c==")).containsExactly(entry("a", List.of("")), entry("b", List.of("")),
				entry("c", List.of("=")));
		assertThat(parse("=a")).containsExactly(entry("", List.of("a")));
	}

	@Test
	void overlooksEmptyPairs() {
		assertThat(parse("")).isEmpty();
		assertThat(parse("&&a=1&&&b=2&&")).containsOnlyKeys("a", "b");
	}

	@ParameterizedTest
	@ValueSource(strings = { "a=%zz", "a=%", "a=%4", "%zz=a", "a=1&b=%G0", "a=%-1" })
	void refusesWhatIsMalformed(String form) {
		assertThatIllegalArgumentException().isThrownBy(() -> parse(form));
	}

	@Test
	void refusesTooManyParameters() {
		assertThat(parse("a=1&".repeat(FormParameters.MAX_COUNT))).containsOnlyKeys("a");
		assertThatIllegalArgumentException().isThrownBy(() -> parse("a=1&".repeat(FormParameters.MAX_COUNT + 1)))
			.withMessage("The form has more than 10000 parameters");
	}

	/**
	 * Took seconds when each name without a value was searched for its end in the whole
	 * body.
	 */
	@Test
	void readsManyNamesWithoutAValueBeforeALongOne() {
		String name = "b".repeat(1_000_000);
		assertThat(parse("a&".repeat(FormParameters.MAX_COUNT - 1) + name)).containsOnlyKeys("a", name);
	}

	@Test
	void cannotBeChanged() {
		Map<String, String[]> parameters = FormParameters.parse(Map.of(), new byte[] { 'a' }, StandardCharsets.UTF_8);
		assertThatThrownBy(parameters::clear).isInstanceOf(UnsupportedOperationException.class);
	}

	@Test
	void knowsTheFirstValueOfAName() {
		Map<String, String[]> parameters = Map.of("a", new String[] { "1", "2" }, "b", new String[0]);
		assertThat(FormParameters.first(parameters, "a")).isEqualTo("1");
		assertThat(FormParameters.first(parameters, "b")).isNull();
		assertThat(FormParameters.first(parameters, "c")).isNull();
	}

	private static Map<String, List<String>> parse(String form) {
		return parse(form, StandardCharsets.UTF_8);
	}

	private static Map<String, List<String>> parse(String form, Charset charset) {
		return asLists(FormParameters.parse(Map.of(), form.getBytes(charset), charset));
	}

	private static Map<String, List<String>> asLists(Map<String, String[]> parameters) {
		Map<String, List<String>> lists = new LinkedHashMap<>();
		parameters.forEach((name, values) -> lists.put(name, List.of(values)));
		return lists;
	}

}
