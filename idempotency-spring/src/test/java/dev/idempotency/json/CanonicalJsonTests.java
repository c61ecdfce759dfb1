package dev.idempotency.json;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.idempotency.digest.Sha256;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class CanonicalJsonTests {

	private static final int MEGABYTE = 1024 * 1024;

	private static final int DEEPEST = 500;

	@Test
	void doesNotSeeTheOrderOfMembers() {
		assertThat(digest("{\"a\":1,\"b\":{\"c\":[],\"d\":null}}")).isNotNull()
			.isEqualTo(digest("{\"b\":{\"d\":null,\"c\":[]},\"a\":1}"));
	}

	@Test
	void doesNotSeeWhiteSpace() {
		assertThat(digest("{\"a\":[1,2,{}],\"b\":true}")).isNotNull()
			.isEqualTo(digest(" {\r\n\t\"a\" : [ 1 ,2, { } ] ,\"b\":true\n} \n"));
	}

	@Test
	void doesNotSeeHowAStringIsEscaped() {
		assertThat(digest("{\"\u00e9/\":\"\\\"\\\\\\n\u20ac\ud83d\ude00\"}")).isNotNull()
			.isEqualTo(digest("{\"\\u00E9\\/\":\"\\u0022\\u005c\\u000A\\u20ac\\ud83d\\ude00\"}"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', value = { "1 | 2", "1 | 10", "1 | -1", "1e2 | 1e-2", "1.5 | 15",
			"0 | 0.1", "1.01 | 1.1", "12 | \"12\"", "null | \"null\"", "true | \"true\"", "true | false",
			"false | null", "null | 0", "\"\" | null", "\"a\" | \"A\"", "\"a\" | \"a \"", "{} | []", "{} | null",
			"[] | [[]]", "[] | [null]", "[1,2] | [2,1]", "[12] | [1,2]", "[1,[2]] | [[1],2]", "[[],[]] | [[[]]]",
			"[[]] | [[],[]]", "[\"ab\"] | [\"a\",\"b\"]", "[\"a\",\"\"] | [\"\",\"a\"]", "[{}] | {}", "[{},{}] | [{}]",
			"{\"a\":1} | {\"a\":2}", "{\"a\":1} | {\"b\":1}", "{\"a\":1} | {\"A\":1}", "{\"a\":\"b\"} | [\"a\",\"b\"]",
			"{\"a\":\"b\"} | {\"b\":\"a\"}", "{\"a\":{\"b\":1}} | {\"a\":{},\"b\":1}",
			"{\"a\":{\"b\":1}} | {\"b\":{\"a\":1}}", "{\"a\":[1,{\"b\":2}]} | {\"a\":[1],\"b\":2}",
			"{\"a\":[1,{\"b\":2},3]} | {\"a\":[1,3,{\"b\":2}]}", "{\"a\":1,\"b\":2} | {\"a\":2,\"b\":1}",
			"{\"ab\":\"c\"} | {\"a\":\"bc\"}", "{\"\":1} | {}", "{\"a\":null} | {}", "{\"a\":[]} | {\"a\":{}}" })
	void seesEverythingElse(String one, String other) {
		assertThat(digest(one)).isNotNull();
		assertThat(digest(other)).isNotNull().isNotEqualTo(digest(one));
	}

	/**
	 * Strung together without their lengths, these would be the same bytes.
	 */
	@Test
	void isNotFooledByAStringThatImitatesSeveral() {
		assertThat(digest("[\"a\\u2200\\u0200\\u6222\\u0002c\"]")).isNotNull()
			.isNotEqualTo(digest("[\"a\",\"b\",\"c\"]"));
		assertThat(digest("[\"a\\u2200\\u0000\\u6222\\u0000c\"]")).isNotNull()
			.isNotEqualTo(digest("[\"a\",\"b\",\"c\"]"));
	}

	@Test
	void keepsMembersOfTheSameNameInTheirOrder() {
		String[] texts = { "{\"a\":1}", "{\"a\":2}", "{\"a\":1,\"a\":1}", "{\"a\":1,\"a\":2}", "{\"a\":2,\"a\":1}" };
		assertThat(texts).extracting(CanonicalJsonTests::digest).doesNotContainNull().doesNotHaveDuplicates();
		assertThat(digest("{\"a\":1,\"b\":3,\"a\":2}")).isEqualTo(digest("{\"b\":3,\"\\u0061\":1,\"a\":2}"));
	}

	@Test
	void tellsHalvesOfSurrogatePairsApart() {
		String[] texts = { "\"\\ud800\"", "\"\\ud801\"", "\"\\udc00\"", "\"?\"", "\"\ufffd\"", "\"\\ud800\\udc00\"",
				"\"\\udc00\\ud800\"", "\"\\ud800?\"", "{\"\\ud800\":1}", "{\"\\udc00\":1}", "{\"?\":1}" };
		assertThat(texts).extracting(CanonicalJsonTests::digest).doesNotContainNull().doesNotHaveDuplicates();
	}

	/**
	 * A text can have them as they are, and UTF-8 cannot.
	 */
	@Test
	void takesHalvesOfSurrogatePairsInATextAsIfTheyWereEscaped() {
		assertThat(CanonicalJson.digest("{\"\udc00\":\"\ud800\"}")).isNotNull()
			.isEqualTo(digest("{\"\\udc00\":\"\\ud800\"}"));
	}

	@Test
	void sortsNamesThatAreHalvesOfSurrogatePairs() {
		assertThat(digest("{\"\\ud800\":1,\"\uffff\":2,\"\ud83d\ude00\":3,\"\\udc00\":4}")).isNotNull()
			.isEqualTo(digest("{\"\\udc00\":4,\"\ud83d\ude00\":3,\"\uffff\":2,\"\\ud800\":1}"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "0 | -0 | 0.0 | -0.00 | 0e0 | 0E+5 | -0.0e-999999999999999999999",
			"1 | 1.0 | 1e0 | 1E0 | 10e-1 | 0.1e1 | 0.01E+2 | 100.00e-02 | 1e-0", "-1 | -1.0 | -10e-1 | -0.1E1",
			"100 | 1e2 | 1E+2 | 1e002 | 100.0 | 0.1e3 | 1000e-1", "12.5 | 12.50 | 125e-1 | 1.25e1 | 0.0125E3",
			"0.001 | 1e-3 | 0.1e-2 | 100e-5", "1.00000000000000000001 | 100000000000000000001e-20",
			"1e999999999999999999 | 10e999999999999999998", "-1e1000000000000000000 | -10e999999999999999999" })
	void doesNotSeeHowANumberIsWritten(String numbers) {
		String[] equal = numbers.split(" \\| ", -1);
		for (String number : equal) {
			for (String around : List.of("%s", "[%s]", "{\"a\":%s}", "[\"\u20ac\",%s]")) {
				assertThat(digest(around.formatted(number))).as(number)
					.isNotNull()
					.isEqualTo(digest(around.formatted(equal[0])));
			}
		}
	}

	/**
	 * Nobody adds to an exponent that has no room in a {@code long}.
	 */
	@Test
	void takesAnEndlessExponentAsItIsWritten() {
		String[] texts = { "1e9999999999999999999", "10e9999999999999999998", "1.0e9999999999999999999" };
		assertThat(texts).extracting(CanonicalJsonTests::digest).doesNotContainNull().doesNotHaveDuplicates();
	}

	@Test
	void readsNumbersOfAMegabyte() {
		String digits = "7".repeat(MEGABYTE);
		String zeros = "0".repeat(MEGABYTE);
		assertThat(digest("1" + zeros)).isNotNull().isEqualTo(digest("1e" + MEGABYTE));
		assertThat(digest("0." + zeros + "1")).isNotNull().isEqualTo(digest("1e-" + (MEGABYTE + 1)));
		assertThat(digest("1e" + zeros + "1")).isNotNull().isEqualTo(digest("10"));
		assertThat(digest("[" + digits + "]")).isNotNull()
			.isEqualTo(digest("[" + digits + ".00]"))
			.isEqualTo(digest("[7." + digits.substring(1) + "e" + (MEGABYTE - 1) + "]"))
			.isNotEqualTo(digest("[" + digits + "7]"));
	}

	@Test
	void takesAnyNumber() {
		String[] texts = { "1e999999999", "1e999999998", "-1e-999999999", "9".repeat(5000), "9".repeat(5001),
				"0." + "0".repeat(9999) + "1", "0." + "0".repeat(9999) + "2" };
		assertThat(texts).extracting(CanonicalJsonTests::digest).doesNotContainNull().doesNotHaveDuplicates();
	}

	@ParameterizedTest
	@ValueSource(ints = { 510, 511, 512, 513, 1023, 1024, 1025, 3999, 4000, 4001, 8191, 8192, 8193, 60_000, MEGABYTE })
	void doesNotMindHowLongAStringIs(int length) {
		String text = "k".repeat(length);
		String escaped = "\\u006b" + "k".repeat(length - 1);
		assertThat(digest("[\"" + text + "\"]")).isNotNull()
			.isEqualTo(digest("[\"" + escaped + "\"]"))
			.isNotEqualTo(digest("[\"" + text + "k\"]"))
			.isNotEqualTo(digest("[\"" + text + "\",\"\"]"))
			.isNotEqualTo(digest("[\"" + text.substring(1) + "\",\"k\"]"));
		assertThat(digest("{\"" + text + "\":1}")).isNotNull()
			.isEqualTo(digest("{\"" + escaped + "\":1}"))
			.isNotEqualTo(digest("{\"" + text + "k\":1}"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "\n", "nul", "nulL", "NULL", "truee", "undefined", "NaN", "Infinity", "-", "+1",
			"01", "-01", "1.", ".1", "1e", "1e+", "0x1", "1_0", "\"", "\"a", "'a'", "\"\\x\"", "\"\\u12\"",
			"\"\\u12g4\"", "\"\\\"", "\"\n\"", "\"\t\"", "\"\u0000\"", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]",
			"[1]]", "[}", "{", "}", "{]", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{\"a\" 1}",
			"{a:1}", "{1:1}", "{\"a\":1 \"b\":2}", "{,}", "{\"a\":1}}", "1 2", "1,2", "{} {}", "[] []", "{}x",
			"[]\u0000", "null null", "\"a\"\"b\"", "// a\n1", "/* a */1", "# a\n1", "1 // a", "\u00a01", "\f1",
			"\u000b1", "1\u0000", "\u001e1" })
	void isNothingForWhatIsNotExactlyOneJsonValue(String text) {
		assertThat(digest(text)).isNull();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "22 80 22", "22 c3 22", "22 c3 28 22", "22 ff 22", "22 fe 22", "22 c0 80 22", "22 c1 81 22",
					"22 e0 80 80 22", "22 ed a0 80 22", "22 ed b0 80 22", "22 f0 80 80 80 22", "22 f4 90 80 80 22",
					"22 f5 80 80 80 22", "22 e2 82 22", "22 61", "7b 22 c1 81 22 3a 31 7d", "31 c3", "31 20 80" })
	void isNothingForMalformedUtf8(String bytes) {
		assertThat(digest(HexFormat.ofDelimiter(" ").parseHex(bytes))).isNull();
	}

	@Test
	void isNothingForAByteOrderMarkOrAnotherEncoding() {
		assertThat(digest("\ufeff{}")).isNull();
		assertThat(digest("{}".getBytes(StandardCharsets.UTF_16BE))).isNull();
		assertThat(digest("{}".getBytes(StandardCharsets.UTF_16LE))).isNull();
		assertThat(digest("{}".getBytes(StandardCharsets.UTF_16))).isNull();
	}

	@Test
	void readsOnlyAsManyBytesAsThereAre() {
		byte[] buffer = "[1]garbage".getBytes(StandardCharsets.UTF_8);
		assertThat(CanonicalJson.digest(buffer, 3, Sha256.newDigest())).isNotNull().isEqualTo(digest("[1]"));
		assertThat(CanonicalJson.digest(buffer, 2, Sha256.newDigest())).isNull();
		assertThat(CanonicalJson.digest(buffer, 0, Sha256.newDigest())).isNull();
	}

	@ParameterizedTest
	@CsvSource({ "[,]", "{\"a\":,}", "[{\"a\":,}]", "{\"a\":[,]}" })
	void goesAsDeepAsItMayAndNoDeeper(String open, String close) {
		int steps = DEEPEST / (int) open.chars().filter((character) -> "[{".indexOf(character) >= 0).count();
		assertThat(digest(open.repeat(steps) + "1" + close.repeat(steps))).isNotNull()
			.isNotEqualTo(digest(open.repeat(steps) + "2" + close.repeat(steps)))
			.isNotEqualTo(digest(open.repeat(steps - 1) + "1" + close.repeat(steps - 1)));
		assertThat(digest(open.repeat(steps + 1) + "1" + close.repeat(steps + 1))).isNull();
		assertThat(digest(open.repeat(MEGABYTE / open.length()))).isNull();
	}

	@Test
	void needsNoStackForDepth() throws Exception {
		String deep = "{\"a\":[".repeat(DEEPEST / 2) + "]}".repeat(DEEPEST / 2);
		List<byte @Nullable []> digests = Collections.synchronizedList(new ArrayList<>());
		Thread thread = new Thread(null, () -> digests.add(digest(deep)), "small stack", 1);
		thread.start();
		thread.join();
		assertThat(digests).hasSize(1).doesNotContainNull();
	}

	@Test
	void sortsAMegabyteOfMembers() {
		List<String> members = IntStream.range(0, 60_000)
			.mapToObj((i) -> "\"member%d\":%d".formatted(i, i))
			.collect(Collectors.toCollection(ArrayList::new));
		String sorted = "{" + String.join(",", members) + "}";
		Collections.shuffle(members, new Random(1));
		String shuffled = "{" + String.join(", ", members) + "}";
		assertThat(sorted).hasSizeGreaterThan(MEGABYTE);
		assertThat(digest(sorted)).isNotNull().isEqualTo(digest(shuffled));
	}

	@Test
	void readsAMegabyteOfSmallValues() {
		String numbers = "[1" + ",1".repeat(MEGABYTE / 2) + "]";
		String objects = "[{}" + ",{}".repeat(MEGABYTE / 3) + "]";
		String duplicates = "{\"\":0" + ",\"\":0".repeat(MEGABYTE / 5) + "}";
		assertThat(List.of(numbers, objects, duplicates)).extracting(CanonicalJsonTests::digest)
			.doesNotContainNull()
			.doesNotHaveDuplicates();
	}

	@Test
	void isNotMovedByACollisionAttackOnTheNames() {
		// Names with one hash code, which overflow Jackson's table of names
		List<String> names = List.of("");
		for (int i = 0; i < 12; i++) {
			names = names.stream()
				.flatMap((name) -> List.of(name + "Aa", name + "BB").stream())
				.collect(Collectors.toCollection(ArrayList::new));
		}
		String members = names.stream().map((name) -> '"' + name + "\":1").collect(Collectors.joining(","));
		Collections.reverse(names);
		String reversed = names.stream().map((name) -> '"' + name + "\":1").collect(Collectors.joining(","));
		assertThat(digest("{" + members + "}")).isNotNull().isEqualTo(digest("{" + reversed + "}"));
	}

	/**
	 * Digests are stored. When this test fails, keys that are in use during an upgrade
	 * answer 422 to honest retries.
	 */
	@Test
	void keepsItsFormat() throws Exception {
		MessageDigest all = MessageDigest.getInstance("SHA-256");
		for (String text : List.of("null", "{}", "[]", "[true,false,null]", "\"\u20ac\\ud800\"", "-1.50E+2",
				"{\"b\":[1,{\"c\":\"d\"}],\"a\":\"" + "x".repeat(600) + "\",\"\":\"" + "y".repeat(512) + "\"}",
				"{\"a\":\"" + "x".repeat(253) + "\",\"b\":\"" + "y".repeat(254) + "\"}",
				"{\"a\":\"" + "x".repeat(512) + "\u00e9\",\"\u00e9\":1}")) {
			byte[] digest = digest(text);
			assertThat(digest).isNotNull().hasSize(32);
			all.update(digest);
		}
		assertThat(HexFormat.of().formatHex(all.digest()))
			.isEqualTo("2b88ff7b9b93280dd5d711432d90672ec18d36654fcc238ee5cd5d328562ccc3");
	}

	/**
	 * The digest of the bytes, which is also that of the text.
	 */
	private static byte @Nullable [] digest(String json) {
		byte[] digest = digest(json.getBytes(StandardCharsets.UTF_8));
		assertThat(CanonicalJson.digest(json)).isEqualTo(digest);
		return digest;
	}

	private static byte @Nullable [] digest(byte[] json) {
		return CanonicalJson.digest(json, json.length, Sha256.newDigest());
	}

}
