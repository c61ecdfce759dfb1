package dev.idempotency.json;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.idempotency.digest.Sha256;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever is taken for plain must have the digest that it has when it is parsed: which
 * of the two a text gets may change with a release, and retries must not notice.
 */
class PlainJsonTests {

	/**
	 * One for all, which must be left with nothing in it, whatever was not plain.
	 */
	private static final MessageDigest SHA_256 = Sha256.newDigest();

	private static final int LONGEST_BUFFERED_TEXT = 16 * 1024;

	private static final List<String> NUMBERS = List.of("0", "-0", "1", "-1", "12", "120", "0.0", "-0.5", "1.50",
			"19.99", "1e5", "1E5", "1e+5", "1E-5", "0e0", "0E+00", "-1.5e-007", "9007199254740993", "1e999999999",
			"123456789012345678901234567890.123456789012345678901234567890");

	private static final List<String> NO_NUMBERS = List.of("00", "01", "-", "--1", "-01", "+1", "1.", "-1.", ".5",
			"-.5", "1.e5", "1e", "1e+", "1E-", "1e5.5", "1.5.5", "1ee5", "1e+-5", "0x10", "1_0", "1f", "1d", "NaN",
			"-Infinity", "1 2", "1-2", "- 1");

	private static final List<String> WORDS = List.of("true", "false", "null");

	private static final List<String> NO_WORDS = List.of("tru", "truee", "True", "nul", "nulll", "fals", "undefined",
			"t", "f", "n", "'a'", "a");

	private static final List<String> BLANKS = List.of("", "", "", "", " ", "\n", "\t", "\r", "\r\n", "  ");

	private static final String CHARACTERS = "aaabbcA0 !#'/:;,.-_~[]{}<>@|\u007f";

	private static final String MUTATIONS = "\"\"\\{}[]:,,0123.eE+-tfn \n\t\r\f\u000b\u0000\u001f\u007f\u00e9\u20ac/#'";

	@ParameterizedTest
	@ValueSource(strings = { "{\"amount\":4200,\"currency\":\"EUR\"}",
			"{\"amount\":10,\"currency\":\"EUR\",\"customer\":\"c-4711\",\"description\":\"Order 17, to the door\"}",
			"{\r\n  \"amount\" : 19.99,\r\n\t\"capture\" : true,\r\n  \"coupon\" : null\r\n}\n",
			"{\"card\":{\"number\":\"4242\",\"expires\":{\"year\":2030,\"month\":1}},\"lines\":[{\"sku\":\"a\",\"n\":1},{\"sku\":\"b\",\"n\":2}]}",
			"{}", "[]", "[{}]", "null", "-1.5E+3", "\"text\"", " [ 1 , \"a\" , [ ] , { } ] " })
	void takesWhatMostRequestsBring(String json) {
		assertThat(plain(json)).isNotNull().isEqualTo(parsed(json));
		assertThat(CanonicalJson.digest(bytes(json), bytes(json).length, SHA_256)).isEqualTo(parsed(json));
	}

	@Test
	void takesNumbersForWhatTheyAreWorth() {
		for (String number : NUMBERS) {
			for (String json : around(number)) {
				assertThat(plain(json)).as(json).isNotNull().isEqualTo(parsed(json));
			}
		}
		for (String one : NUMBERS) {
			for (String other : NUMBERS) {
				assertThat(Arrays.equals(plain(one), plain(other))).as(one + " and " + other)
					.isEqualTo(new BigDecimal(one).compareTo(new BigDecimal(other)) == 0);
			}
		}
	}

	@Test
	void takesWords() {
		for (String word : WORDS) {
			for (String json : around(word)) {
				assertThat(plain(json)).as(json).isNotNull().isEqualTo(parsed(json));
			}
		}
	}

	@Test
	void refusesWhatIsNoValue() {
		for (List<String> texts : List.of(NO_NUMBERS, NO_WORDS)) {
			for (String text : texts) {
				for (String json : around(text)) {
					assertThat(plain(json)).as(json).isNull();
					assertThat(parsed(json)).as(json).isNull();
				}
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "{", "}", "[", "]", "{]", "[}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1]]",
			"[1}", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{\"a\":1]", "{\"a\" 1}", "{\"a\"::1}",
			"{a:1}", "{1:1}", "{\"a\":1 \"b\":2}", "{,}", "{:1}", "{\"a\":}", "{\"a\":1}}", "{} {}", "{}x", "\"", "\"a",
			"\"a\"\"b\"", "\"\n\"", "\"\t\"", "\"\u0000\"", "\"\u001f\"", "{\"\n\":1}", "1\u0000", "\u00001", "\f1",
			"\u000b1", "// a\n1", "1 # a" })
	void refusesWhatIsNotJson(String json) {
		assertThat(plain(json)).isNull();
		assertThat(parsed(json)).isNull();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "\"\\n\"", "\"\\u0061\"", "{\"\\\"\":1}", "\"\u00e9\"", "{\"\u20ac\":1}", "\"\ud83d\ude00\"" })
	void leavesEscapesAndOtherAlphabetsToTheParser(String json) {
		assertThat(plain(json)).isNull();
		assertThat(parsed(json)).isNotNull();
	}

	/**
	 * The value of a member goes into its digest piece by piece; what is in an array is
	 * kept until that ends.
	 */
	@Test
	void takesLongTexts() {
		String text = "\"" + "x".repeat(3_000_000) + "\"";
		for (String json : List.of("{\"a\":" + text + "}", "{\"b\": " + text + " ,\"a\":{\"c\":" + text + "}}",
				"[{\"a\":" + text + "},{\"a\":1}]")) {
			assertThat(plain(json)).isNotNull().isEqualTo(parsed(json));
		}
		for (String json : List.of(text, "[" + text + "]", "{\"a\":[" + text + "]}")) {
			assertThat(plain(json)).isNull();
			assertThat(parsed(json)).isNotNull();
		}
		String longest = "\"" + "x".repeat(LONGEST_BUFFERED_TEXT) + "\"";
		assertThat(plain("[" + longest + "]")).isNotNull().isEqualTo(parsed("[" + longest + "]"));
		assertThat(plain("[\"x" + longest.substring(1) + "]")).isNull();
		assertThat(plain("{\"a\":\"x" + longest.substring(1) + "}")).isNotNull();
	}

	@Test
	void takesLongListsUnlessTheyNeedMuchRoom() {
		String orders = list(
				"{\"sku\":\"ab-12-34\",\"name\":\"A fine thing\",\"price\":{\"amount\":1999,\"currency\":\"EUR\"},"
						+ "\"options\":[true,null]}",
				10_000);
		assertThat(plain(orders)).isNotNull().isEqualTo(parsed(orders));
		String few = list("1", 1_900);
		assertThat(plain(few)).isNotNull().isEqualTo(parsed(few));
		String many = list("1", 100_000);
		assertThat(plain(many)).isNull();
		assertThat(CanonicalJson.digest(bytes(many), bytes(many).length, SHA_256)).isEqualTo(parsed(many));
	}

	/**
	 * Values of any kind around the length from which on they are digested.
	 */
	@Test
	void digestsValuesWhereTheParserDoes() {
		for (int length = 0; length < 70; length++) {
			for (String json : List.of("{\"a\":[" + "[],".repeat(length) + "0]}",
					"{\"b\":" + list("{}", length) + ",\"a\":" + list("12", length) + "}",
					"{\"b\":[\"" + "x".repeat(length) + "\"],\"a\":{\"c\":" + list("\"y\"", length) + "}}")) {
				assertThat(plain(json)).as(json).isNotNull().isEqualTo(parsed(json));
			}
		}
	}

	private static String list(String element, int count) {
		return "[" + String.join(",", Collections.nCopies(count, element)) + "]";
	}

	@Test
	void leavesWhatIsDeepOrWideToTheParser() {
		assertThat(plain("[".repeat(16) + "]".repeat(16))).isNotNull()
			.isEqualTo(parsed("[".repeat(16) + "]".repeat(16)));
		assertThat(plain("[".repeat(17) + "]".repeat(17))).isNull();
		assertThat(plain("{\"a\":".repeat(16) + "1" + "}".repeat(16))).isNotNull();
		assertThat(plain("{\"a\":".repeat(17) + "1" + "}".repeat(17))).isNull();
		// Depth, not the number of what was closed
		assertThat(plain("[" + "[],{},".repeat(100) + "0]")).isNotNull();
		assertThat(plain(members(64))).isNotNull().isEqualTo(parsed(members(64)));
		assertThat(plain(members(65))).isNull();
	}

	@Test
	void readsOnlyAsManyBytesAsThereAre() {
		byte[] buffer = bytes("[12]3\u20ac\\");
		assertThat(PlainJson.digest(buffer, 4, SHA_256)).isNotNull().isEqualTo(parsed("[12]"));
		for (int length : new int[] { 0, 1, 2, 3, 5, 6, buffer.length }) {
			assertThat(PlainJson.digest(buffer, length, SHA_256)).isNull();
		}
	}

	/**
	 * Longer texts are cut into pieces of 512 characters, and the last is not full; from
	 * 63 on, a member has the digest of its text.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 61, 62, 63, 64, 126, 127, 128, 129, 254, 255, 256, 257, 509, 510, 511, 512, 513, 1023,
			1024, 1025, 1535, 1536, 1537, 8191, 8192, 8193, 16_000 })
	void cutsTextsWhereTheParserDoes(int length) {
		for (String json : around("\"" + "x".repeat(length) + "\"")) {
			assertThat(plain(json)).isNotNull().isEqualTo(parsed(json));
		}
		for (String number : List.of("1" + "0".repeat(length), "1" + "7".repeat(length),
				"0." + "0".repeat(length) + "7")) {
			for (String json : around(number)) {
				assertThat(plain(json)).isNotNull().isEqualTo(parsed(json));
			}
		}
		String fraction = "-1." + "7".repeat(length) + "7";
		for (String json : around(fraction)) {
			// Left to the parser if it needs several pieces
			assertThat(plain(json) != null).isEqualTo(length < 505);
			assertThat(CanonicalJson.digest(bytes(json), bytes(json).length, SHA_256)).isNotNull()
				.isEqualTo(parsed(json));
		}
		String names = "{\"" + "x".repeat(length) + "\":1,\"b\":2,\"" + "a".repeat(Math.min(length, 100)) + "\":3}";
		if (length < 512) {
			assertThat(plain(names)).isNotNull().isEqualTo(parsed(names));
		}
		else {
			assertThat(plain(names)).isNull();
		}
	}

	@Test
	void sortsMembersAsTheParserDoes() {
		List<String> names = new ArrayList<>(List.of("", " ", "a", "aa", "ab", "aB", "A", "b", "a b", "~", "0",
				"a".repeat(130), "a".repeat(131), "a".repeat(300), "a", "b", "a"));
		Random random = new Random(1);
		for (int i = 0; i < 500; i++) {
			Collections.shuffle(names, random);
			String json = IntStream.range(0, names.size())
				.mapToObj((index) -> "\"%s\":%d".formatted(names.get(index), index))
				.collect(Collectors.joining(",", "{", "}"));
			assertThat(plain(json)).isNotNull().isEqualTo(parsed(json));
		}
	}

	@Test
	void agreesWithTheParserAboutAnyText() {
		int taken = 0;
		int refused = 0;
		for (int seed = 0; seed < 4000; seed++) {
			Random random = new Random(seed);
			String json = value(random, 0);
			assertThat(plain(json)).as(json).isNotNull().isEqualTo(parsed(json));
			byte[] mutant = bytes(json);
			for (int i = 0; i < 4; i++) {
				mutant = mutate(mutant, random);
				byte[] digest = PlainJson.digest(mutant, mutant.length, SHA_256);
				if (digest != null) {
					taken++;
					assertThat(digest).as(new String(mutant, StandardCharsets.UTF_8))
						.isEqualTo(CanonicalJson.digestOfParsed(mutant, mutant.length, List.of()));
				}
				else if (isPlain(mutant)) {
					refused++;
					assertThat(CanonicalJson.digestOfParsed(mutant, mutant.length, List.of()))
						.as(new String(mutant, StandardCharsets.UTF_8))
						.isNull();
				}
			}
		}
		// Neither is rare, or this would test nothing
		assertThat(taken).isGreaterThan(2000);
		assertThat(refused).isGreaterThan(2000);
	}

	private static boolean isPlain(byte[] json) {
		for (byte character : json) {
			if (character < 0 || character == '\\') {
				return false;
			}
		}
		return true;
	}

	private static byte[] mutate(byte[] json, Random random) {
		String text = new String(json, StandardCharsets.UTF_8);
		int index = random.nextInt(text.length() + 1);
		int rest = Math.min(index + random.nextInt(2), text.length());
		String inserted = random.nextInt(3) > 0 ? String.valueOf(MUTATIONS.charAt(random.nextInt(MUTATIONS.length())))
				: "";
		return switch (random.nextInt(8)) {
			case 0 -> bytes(text.substring(0, index));
			case 1 -> {
				// May cut a character into halves
				byte[] cut = bytes(text);
				yield Arrays.copyOfRange(cut, random.nextInt(cut.length + 1), cut.length);
			}
			case 2 -> bytes(text + inserted);
			default -> bytes(text.substring(0, index) + inserted + text.substring(rest));
		};
	}

	private static String value(Random random, int depth) {
		String value = switch (random.nextInt((depth < 5) ? 7 : 4)) {
			case 0 -> NUMBERS.get(random.nextInt(NUMBERS.size()));
			case 1 -> number(random);
			case 2 -> WORDS.get(random.nextInt(WORDS.size()));
			case 3 -> text(random);
			case 4 -> IntStream.range(0, random.nextInt(5))
				.mapToObj((i) -> value(random, depth + 1))
				.collect(Collectors.joining(",", "[" + blanks(random), "]"));
			default -> IntStream.range(0, random.nextInt(8))
				.mapToObj((i) -> blanks(random) + text(random) + blanks(random) + ":" + value(random, depth + 1))
				.collect(Collectors.joining(",", "{" + blanks(random), "}"));
		};
		return blanks(random) + value + blanks(random);
	}

	private static String number(Random random) {
		return (random.nextBoolean() ? "-" : "") + random.nextInt(1000)
				+ (random.nextBoolean() ? "." + digits(random) : "")
				+ (random.nextBoolean() ? "e" + List.of("", "+", "-").get(random.nextInt(3)) + digits(random) : "");
	}

	private static String digits(Random random) {
		return String.valueOf(random.nextInt(1000)).repeat(1 + random.nextInt(3));
	}

	private static String text(Random random) {
		// Short, so that names often meet
		int length = (random.nextInt(50) == 0) ? random.nextInt(511) : random.nextInt(4);
		return random.ints(length, 0, CHARACTERS.length())
			.mapToObj((index) -> String.valueOf(CHARACTERS.charAt(index)))
			.collect(Collectors.joining("", "\"", "\""));
	}

	private static String blanks(Random random) {
		return BLANKS.get(random.nextInt(BLANKS.size()));
	}

	private static String members(int count) {
		return IntStream.range(0, count)
			.mapToObj((i) -> "\"m%d\":%d".formatted(i * 7 % 10, i))
			.collect(Collectors.joining(",", "{", "}"));
	}

	private static List<String> around(String value) {
		return List.of(value, " " + value + "\n", "[" + value + "]", "[ " + value + " ]", "{\"a\":" + value + "}",
				"{\"b\":1,\"a\":[[" + value + "]]}", "[1," + value + ",2]");
	}

	private static byte @Nullable [] plain(String json) {
		return PlainJson.digest(bytes(json), bytes(json).length, SHA_256);
	}

	private static byte @Nullable [] parsed(String json) {
		return CanonicalJson.digestOfParsed(bytes(json), bytes(json).length, List.of());
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
