package dev.idempotency;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/**
 * Keys are what their definition says, byte for byte, so that others can make them too.
 */
class IdempotencyKeysTests {

	private static final UUID DNS = UUID.fromString("6ba7b810-9dad-11d1-80b4-00c04fd430c8");

	private static final int INPUTS = 10_000;

	private final Random random = new Random(42);

	@Test
	void joinsPartsInAFormThatCanBeRead() {
		assertThat(IdempotencyKeys.join("ann", "order-7")).isEqualTo("ann:order-7");
		assertThat(IdempotencyKeys.join("a:b", "c%", "", "\u20ac")).isEqualTo("a%3Ab:c%25::\u20ac");
		assertThat(IdempotencyKeys.join("%3A")).isEqualTo("%253A");
	}

	@Test
	void joinsNoTwoListsOfPartsToTheSameKey() {
		List<String> texts = List.of("", "a", ":", "%", "%3A", "%25", "a:", ":a", "3A", "25");
		Set<String> keys = new HashSet<>();
		int lists = 0;
		for (String first : texts) {
			keys.add(IdempotencyKeys.join(first));
			for (String second : texts) {
				keys.add(IdempotencyKeys.join(first, second));
				for (String third : texts) {
					keys.add(IdempotencyKeys.join(first, second, third));
					lists++;
				}
				lists++;
			}
			lists++;
		}
		assertThat(keys).hasSize(lists);
	}

	@Test
	@SuppressWarnings("NullAway")
	void joinsNothingThatIsAbsent() {
		assertThatIllegalArgumentException().isThrownBy(IdempotencyKeys::join);
		assertThatNullPointerException().isThrownBy(() -> IdempotencyKeys.join("a", null));
		assertThatIllegalArgumentException().isThrownBy(() -> IdempotencyKeys.join("a", "\ud800"));
	}

	@Test
	void hashesContent() {
		assertThat(IdempotencyKeys.sha256("hello")).isEqualTo("ik_2cf24dba5fb0a30e26e83b2ac5b9e29e");
		assertThat(IdempotencyKeys.sha256("abc")).isEqualTo("ik_ba7816bf8f01cfea414140de5dae2223");
		assertThat(IdempotencyKeys.sha256("")).isEqualTo("ik_e3b0c44298fc1c149afbf4c8996fb924");
		assertThat(IdempotencyKeys.sha256("é".getBytes(StandardCharsets.UTF_8))).isEqualTo(IdempotencyKeys.sha256("é"));
	}

	@Test
	void putsANulBetweenScopeAndParts() {
		assertThat(IdempotencyKeys.scoped("tenant-42", "body")).isEqualTo(IdempotencyKeys.sha256("tenant-42\0body"));
		assertThat(IdempotencyKeys.scoped("tenant-42", "user-7", "body"))
			.isEqualTo(IdempotencyKeys.sha256("tenant-42\0user-7\0body"));
		assertThat(IdempotencyKeys.scoped("tenant-42", new String[0])).isEqualTo(IdempotencyKeys.sha256("tenant-42"));
		assertThat(IdempotencyKeys.scoped("", "")).isEqualTo(IdempotencyKeys.sha256("\0"));
		assertThat(IdempotencyKeys.scoped("a", new byte[] { 'b' }, new byte[0]))
			.isEqualTo(IdempotencyKeys.sha256("a\0b\0"));
	}

	@Test
	void makesTheUuidsOfTheStandard() {
		assertThat(IdempotencyKeys.uuid5(DNS, "www.example.com")).isEqualTo("2ed6657d-e927-568b-95e1-2665a8aea6a2");
		assertThat(IdempotencyKeys.uuid5(DNS, "python.org")).isEqualTo("886313e1-3b8a-5372-9b90-0c9aee199e5d");
		assertThat(IdempotencyKeys.uuid5(DNS, "www.example.com".getBytes(StandardCharsets.US_ASCII)))
			.isEqualTo("2ed6657d-e927-568b-95e1-2665a8aea6a2");
		UUID uuid = UUID.fromString(IdempotencyKeys.uuid5(new UUID(0, 0), ""));
		assertThat(uuid.version()).isEqualTo(5);
		assertThat(uuid.variant()).isEqualTo(2);
	}

	@Test
	void hashesAnyContentAsDefined() {
		for (int i = 0; i < INPUTS; i++) {
			String content = text();
			assertThat(IdempotencyKeys.sha256(content)).isEqualTo(ReferenceKeys.sha256(content));
		}
	}

	@Test
	void hashesAnyScopeAndPartsAsDefined() {
		for (int i = 0; i < INPUTS; i++) {
			String scope = text();
			List<String> parts = Stream.generate(this::text).limit(this.random.nextInt(5)).toList();
			assertThat(IdempotencyKeys.scoped(scope, parts.toArray(String[]::new)))
				.isEqualTo(ReferenceKeys.scoped(scope, parts));
		}
	}

	@Test
	void makesAnyUuidAsDefined() {
		for (int i = 0; i < INPUTS; i++) {
			UUID namespace = new UUID(this.random.nextLong(), this.random.nextLong());
			String name = text();
			assertThat(IdempotencyKeys.uuid5(namespace, name)).isEqualTo(ReferenceKeys.uuid5(namespace, name));
		}
	}

	@Test
	void hashesAnyArgumentsAsDefined() {
		for (int i = 0; i < INPUTS; i++) {
			String scope = text();
			Map<String, @Nullable Object> arguments = members(3);
			assertThat(IdempotencyKeys.forArgs(scope, arguments)).as(() -> ReferenceKeys.json(arguments))
				.isEqualTo(ReferenceKeys.forArgs(scope, arguments));
		}
	}

	@Test
	void makesRandomKeysThatNobodyHas() {
		Set<String> keys = new HashSet<>();
		for (int i = 0; i < INPUTS; i++) {
			UUID uuid = UUID.fromString(IdempotencyKeys.random());
			assertThat(uuid.version()).isEqualTo(4);
			assertThat(uuid.variant()).isEqualTo(2);
			assertThat(keys.add(uuid.toString())).isTrue();
		}
	}

	@Test
	void writesArgumentsAsCanonicalJson() {
		Map<String, @Nullable Object> arguments = new LinkedHashMap<>();
		arguments.put("customer", "C-1");
		arguments.put("amount", new BigDecimal("1.50E+3"));
		arguments.put("Z", null);
		arguments.put("tags", List.of("b", "a", List.of(), Map.of(), true));
		assertThat(IdempotencyKeys.forArgs("charge:s1", arguments)).isEqualTo(IdempotencyKeys
			.sha256("charge:s1\0{\"Z\":null,\"amount\":1500,\"customer\":\"C-1\",\"tags\":[\"b\",\"a\",[],{},true]}"));
		assertThat(IdempotencyKeys.forArgs("s", Map.of())).isEqualTo(IdempotencyKeys.sha256("s\0{}"));
	}

	@Test
	void ignoresTheOrderOfMembersAtAnyDepth() {
		for (int i = 0; i < 1000; i++) {
			Map<String, @Nullable Object> arguments = members(4);
			assertThat(IdempotencyKeys.forArgs("s", cast(shuffled(arguments))))
				.isEqualTo(IdempotencyKeys.forArgs("s", arguments));
		}
	}

	@Test
	void sortsNamesByUnitsAndNotByCharacters() {
		// U+FF5E comes before U+1F600, but after its first unit
		assertThat(IdempotencyKeys.forArgs("s", Map.of("\uff5e", 1, "\ud83d\ude00", 2)))
			.isEqualTo(IdempotencyKeys.sha256("s\0{\"\ud83d\ude00\":2,\"\uff5e\":1}"));
	}

	@Test
	void takesANumberForWhatItIsWorth() {
		Stream<Number> hundreds = Stream.of(100, 100L, (short) 100, (byte) 100, 100.0, 100f, new BigDecimal("100"),
				new BigDecimal("1E2"), new BigDecimal("100.000"), BigInteger.valueOf(100), new AtomicInteger(100),
				new AtomicLong(100));
		assertThat(hundreds.map(IdempotencyKeysTests::keyOf)).containsOnly(keyOf(100));
		assertThat(Stream.of(0, -0.0, 0f, new BigDecimal("0E+999999999"), new BigDecimal("-0.00"))
			.map(IdempotencyKeysTests::keyOf)).containsOnly(keyOf(0));
		assertThat(keyOf(0.1f)).isEqualTo(keyOf(0.1)).isEqualTo(keyOf(new BigDecimal("0.1")));
		assertThat(keyOf(100)).isNotEqualTo(keyOf("100")).isNotEqualTo(keyOf(-100)).isNotEqualTo(keyOf(100.5));
		assertThat(keyOf(Long.MAX_VALUE)).isNotEqualTo(keyOf(Long.MAX_VALUE - 1));
		assertThat(keyOf(new BigDecimal("1.00000000000000000001"))).isNotEqualTo(keyOf(1));
		assertThat(keyOf(Double.MAX_VALUE)).isEqualTo(keyOf(new BigDecimal("1.7976931348623157E308")));
		assertThat(keyOf(Double.MIN_VALUE)).isEqualTo(keyOf(new BigDecimal("4.9E-324")));
	}

	@Test
	void keepsTheOrderOfListsAndArrays() {
		assertThat(keyOf(List.of(1, 2))).isNotEqualTo(keyOf(List.of(2, 1)));
		assertThat(keyOf(List.of(List.of(1), List.of(2)))).isNotEqualTo(keyOf(List.of(1, 2)));
		assertThat(keyOf(new int[] { 1, 2 })).isEqualTo(keyOf(new Integer[] { 1, 2 })).isEqualTo(keyOf(List.of(1, 2)));
		assertThat(keyOf(new byte[] { 1, -1 })).isEqualTo(keyOf(List.of(1, -1)));
		assertThat(keyOf(new Object[] { new int[0], null })).isEqualTo(keyOf(Arrays.asList(List.of(), null)));
	}

	@Test
	void ignoresTheOrderOfSets() {
		List<String> names = new ArrayList<>(IntStream.range(0, 20).mapToObj((i) -> "name " + i).toList());
		String key = keyOf(new TreeSet<>(names));
		for (int i = 0; i < 20; i++) {
			Collections.shuffle(names, this.random);
			assertThat(keyOf(new LinkedHashSet<>(names))).isEqualTo(key);
		}
		assertThat(keyOf(Set.copyOf(names))).isEqualTo(key);
		assertThat(keyOf(Set.of(1))).isEqualTo(keyOf(List.of(1)));
		assertThat(keyOf(new LinkedHashSet<>(List.of(Set.of(3, 2), Map.of("b", 1, "a", 2)))))
			.isEqualTo(keyOf(new LinkedHashSet<>(List.of(Map.of("a", 2, "b", 1), Set.of(2, 3)))));
	}

	@Test
	void takesEnumsUuidsAndDatesForTheirNames() {
		assertThat(keyOf(DayOfWeek.MONDAY)).isEqualTo(keyOf("MONDAY"));
		assertThat(keyOf(Named.FIRST)).isEqualTo(keyOf("FIRST"));
		assertThat(keyOf(Map.of(Named.FIRST, 1))).isEqualTo(keyOf(Map.of("FIRST", 1)));
		assertThat(keyOf(DNS)).isEqualTo(keyOf(DNS.toString()));
		assertThat(keyOf(LocalDate.of(2026, 1, 2))).isEqualTo(keyOf("2026-01-02"));
		assertThat(keyOf(Instant.EPOCH)).isEqualTo(keyOf("1970-01-01T00:00:00Z"));
		assertThat(keyOf('x')).isEqualTo(keyOf("x")).isEqualTo(keyOf(CharBuffer.wrap("x")));
	}

	@Test
	void tellsNothingFromAbsentAndEmpty() {
		Map<String, @Nullable Object> nothing = new HashMap<>();
		nothing.put("value", null);
		assertThat(Stream
			.of(IdempotencyKeys.forArgs("s", nothing), IdempotencyKeys.forArgs("s", Map.of()), keyOf(""), keyOf("null"),
					keyOf(List.of()), keyOf(Map.of()), keyOf(false), keyOf("false"), keyOf(0))
			.distinct()).hasSize(9);
	}

	static Stream<Object> refuses() {
		Map<String, Object> itself = new HashMap<>();
		itself.put("itself", itself);
		List<Object> endless = new ArrayList<>();
		endless.add(Map.of("endless", endless));
		return Stream.of(Double.NaN, Double.POSITIVE_INFINITY, Float.NaN, Float.NEGATIVE_INFINITY, new Object(),
				new Bean("x"), Optional.of("x"), URI.create("x:y"), Path.of("x"), new PriorityQueue<>(List.of(2, 1)),
				Map.of("a", 1).values(), itself, endless, new Object[] { itself }, Map.of(1, "a number"),
				Collections.singletonMap(null, "no name"), Map.of(new Bean("x"), 1), Map.of(Named.FIRST, 1, "FIRST", 2),
				"\ud83d", "x\ude00", List.of("\ude00\ud83d"), Map.of("\ud83d", 1), new BigDecimal("1E+999999999"),
				new BigDecimal("1E-999999999"), new BigDecimal("1E+2147483647"),
				new BigDecimal(BigInteger.ONE, Integer.MAX_VALUE), BigInteger.TEN.pow(1001).add(BigInteger.ONE));
	}

	@ParameterizedTest
	@MethodSource
	void refuses(Object whatNoKeyIsMadeOf) {
		assertThatIllegalArgumentException().isThrownBy(() -> keyOf(whatNoKeyIsMadeOf));
	}

	@ParameterizedTest
	@ValueSource(strings = { "\ud83d", "x\ud83dx", "\ude00", "\ude00\ud83d" })
	void refusesHalfACharacterEverywhere(String broken) {
		assertThatIllegalArgumentException().isThrownBy(() -> IdempotencyKeys.sha256(broken));
		assertThatIllegalArgumentException().isThrownBy(() -> IdempotencyKeys.scoped(broken, "x"));
		assertThatIllegalArgumentException().isThrownBy(() -> IdempotencyKeys.scoped("x", "x", broken));
		assertThatIllegalArgumentException().isThrownBy(() -> IdempotencyKeys.uuid5(DNS, broken));
		assertThatIllegalArgumentException().isThrownBy(() -> IdempotencyKeys.forArgs(broken, Map.of()));
	}

	@Test
	@SuppressWarnings("NullAway") // As callers without NullAway would
	void refusesNull() {
		assertThatNullPointerException().isThrownBy(() -> IdempotencyKeys.sha256((String) null));
		assertThatNullPointerException().isThrownBy(() -> IdempotencyKeys.scoped(null, "x"));
		assertThatNullPointerException().isThrownBy(() -> IdempotencyKeys.scoped("x", "x", null));
		assertThatNullPointerException().isThrownBy(() -> IdempotencyKeys.uuid5(DNS, (String) null));
	}

	@Test
	void neitherNamesNorContentShowThroughAKey() {
		assertThat(keyOf("secret")).matches("ik_[0-9a-f]{32}");
	}

	private static String keyOf(Object value) {
		return IdempotencyKeys.forArgs("s", Map.of("value", value));
	}

	@SuppressWarnings("unchecked")
	private static Map<String, @Nullable Object> cast(@Nullable Object map) {
		return (Map<String, @Nullable Object>) Objects.requireNonNull(map);
	}

	private String text() {
		int length = switch (this.random.nextInt(20)) {
			case 0 -> 0;
			case 1 -> this.random.nextInt(3000);
			default -> this.random.nextInt(12);
		};
		StringBuilder text = new StringBuilder();
		for (int i = 0; i < length; i++) {
			text.appendCodePoint(switch (this.random.nextInt(6)) {
				case 0 -> this.random.nextInt(0x20);
				case 1 -> "\"\\/\0\u007f\u2028\ufeff\uffff".charAt(this.random.nextInt(8));
				case 2 -> 0x80 + this.random.nextInt(0xd800 - 0x80);
				case 3 -> 0xe000 + this.random.nextInt(0x2000);
				case 4 -> 0x10000 + this.random.nextInt(0x100000);
				default -> 'a' + this.random.nextInt(26);
			});
		}
		return text.toString();
	}

	private Map<String, @Nullable Object> members(int depth) {
		Map<String, @Nullable Object> members = new LinkedHashMap<>();
		for (int i = this.random.nextInt(5); i > 0; i--) {
			members.put(text(), value(depth - 1));
		}
		return members;
	}

	private @Nullable Object value(int depth) {
		return switch (this.random.nextInt((depth > 0) ? 9 : 7)) {
			case 0 -> null;
			case 1 -> this.random.nextBoolean();
			case 2 -> this.random.nextInt();
			case 3 -> this.random.nextLong() >> this.random.nextInt(64);
			case 4 -> this.random.nextGaussian() * Math.pow(10, this.random.nextInt(600) - 300);
			case 5 ->
				new BigDecimal(new BigInteger(this.random.nextInt(200), this.random), this.random.nextInt(200) - 100)
					.multiply(BigDecimal.valueOf(this.random.nextInt(3) - 1));
			case 6 -> text();
			case 7 -> members(depth);
			default -> {
				List<@Nullable Object> items = new ArrayList<>();
				for (int i = this.random.nextInt(4); i > 0; i--) {
					items.add(value(depth - 1));
				}
				yield items;
			}
		};
	}

	private @Nullable Object shuffled(@Nullable Object value) {
		Function<@Nullable Object, @Nullable Object> deeper = this::shuffled;
		if (value instanceof Map<?, ?> map) {
			List<Object> names = new ArrayList<>(map.keySet());
			Collections.shuffle(names, this.random);
			Map<Object, @Nullable Object> result = new LinkedHashMap<>();
			names.forEach((name) -> result.put(name, deeper.apply(map.get(name))));
			return result;
		}
		return (value instanceof List<?> list) ? list.stream().map(deeper).toList() : value;
	}

	enum Named {

		FIRST;

		@Override
		public String toString() {
			return "the first";
		}

	}

	record Bean(String value) {
	}

}
