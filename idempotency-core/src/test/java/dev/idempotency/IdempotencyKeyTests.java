package dev.idempotency;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.idempotency.store.KeyDescription;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class IdempotencyKeyTests {

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "\t\n", "\u2003" })
	void rejectsABlankKey(String value) {
		assertThatIllegalArgumentException().isThrownBy(() -> IdempotencyKey.of("pay", value))
			.withMessageContaining("key must not be blank");
	}

	@Test
	@SuppressWarnings("NullAway")
	void rejectsNull() {
		assertThatNullPointerException().isThrownBy(() -> IdempotencyKey.of("pay", null))
			.withMessage("key must not be null");
		assertThatNullPointerException().isThrownBy(() -> IdempotencyKey.of(null, "key"))
			.withMessage("operation must not be null");
		assertThatNullPointerException().isThrownBy(() -> new IdempotencyKey(null, "key"))
			.withMessage("scope must not be null");
	}

	@Test
	void rejectsAnOverlongKeyAndNamesTheRemedy() {
		assertThat(IdempotencyKey.of("pay", "k".repeat(IdempotencyKey.MAX_LENGTH))).isNotNull();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> IdempotencyKey.of("pay", "k".repeat(IdempotencyKey.MAX_LENGTH + 1)))
			.withMessageContaining("key has 16385 characters, more than the 16384 allowed")
			.withMessageContaining("SHA-256");
	}

	@Test
	void rejectsABlankOrOverlongOperation() {
		assertThatIllegalArgumentException().isThrownBy(() -> IdempotencyKey.of(" ", "key"))
			.withMessageContaining("operation must not be blank");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> IdempotencyKey.of("o".repeat(IdempotencyScope.MAX_PART_LENGTH + 1), "key"))
			.withMessageContaining("operation has");
	}

	@ParameterizedTest
	@ValueSource(strings = { "\ud83d", "a\ud83db", "\udcb3", "\udcb3\ud83d" })
	void rejectsHalfASurrogatePairBecauseAllOfThemLookAlikeInUtf8(String value) {
		assertThatIllegalArgumentException().isThrownBy(() -> IdempotencyKey.of("pay", value))
			.withMessageContaining("surrogate");
		assertThatIllegalArgumentException().isThrownBy(() -> new IdempotencyScope("", "pay", value, null))
			.withMessageContaining("principal");
	}

	@Test
	void tellsNobodyWhatTheClientSent() {
		IdempotencyKey key = new IdempotencyKey(new IdempotencyScope("shop", "POST /pay", "ann", "acme"), "secret");
		assertThat(key.toString()).matches("POST /pay #[0-9a-f]{12}");
	}

	@Test
	void hasADigestThatIsTheSameEverywhereAndAlways() {
		IdempotencyKey key = new IdempotencyKey(new IdempotencyScope("shop", "POST /pay", "ann", null), "k\u00e9y");
		assertThat(HexFormat.of().formatHex(key.digest()))
			.isEqualTo("6893e05342816f62c6928cecd0dbb7d870c294464ba12d13a68c3a5e242a09aa");
		assertThat(key.hash()).isEqualTo(HexFormat.of().formatHex(key.digest()).substring(0, 12));
	}

	@Test
	void hasADigestOfItsPartsInUtf8() throws Exception {
		for (String text : List.of("ascii", "~", "\u007f", "\u0080", "\u00e9t\u00e9", "\u20ac 5", "\ud83d\ude00")) {
			IdempotencyScope scope = new IdempotencyScope("shop", "POST /" + text, text, "");
			assertThat(new IdempotencyKey(scope, text).digest())
				.isEqualTo(digestByHand(text, "shop", "POST /" + text, text, "", text));
			assertThat(IdempotencyKey.of("run", text).digest())
				.isEqualTo(digestByHand(text, "", "run", null, null, text));
		}
	}

	private static byte[] digestByHand(String value, @Nullable String... parts) throws Exception {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (DataOutputStream out = new DataOutputStream(bytes)) {
			for (String part : parts) {
				byte[] utf8 = (part != null) ? part.getBytes(StandardCharsets.UTF_8) : new byte[0];
				out.writeInt((part != null) ? utf8.length : -1);
				out.write(utf8);
			}
		}
		byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes.toByteArray());
		System.arraycopy(IdempotencyKey.digestStart(value), 0, digest, 0, 3);
		return digest;
	}

	@Test
	void hasAnotherDigestHoweverItsPartsAreCut() {
		List<@Nullable String> parts = Arrays.asList(null, "", "a", "b", "ab", "null", "\u0000", "a\u0000b");
		Set<String> digests = new HashSet<>();
		int keys = 0;
		for (String principal : parts) {
			for (String tenant : parts) {
				for (String value : List.of("a", "b", "ab", "ba", "a\u0000", "\u0000a")) {
					IdempotencyScope scope = new IdempotencyScope("", "op", principal, tenant);
					digests.add(HexFormat.of().formatHex(new IdempotencyKey(scope, value).digest()));
					keys++;
				}
			}
		}
		assertThat(digests).hasSize(keys);
	}

	@Test
	void hasADigestThatBeginsAsThoseOfTheSameValueInAnyScope() {
		for (String value : List.of("key", "k\u0000y", "x".repeat(199) + "\ud83d\udcb3".repeat(3000))) {
			for (IdempotencyScope scope : List.of(IdempotencyScope.of("pay"),
					new IdempotencyScope("shop", "POST /pay", "ann", "acme"))) {
				byte[] digest = new IdempotencyKey(scope, value).digest();
				assertThat(digest).startsWith(IdempotencyKey.digestStart(value));
				assertThat(digest).as("as stores keep it for people")
					.startsWith(IdempotencyKey.digestStart(KeyDescription.of(new IdempotencyKey(scope, value)).key()));
			}
		}
		assertThat(IdempotencyKey.digestStart("key")).hasSize(3).isNotEqualTo(IdempotencyKey.digestStart("Key"));
	}

	@Test
	void entersANamespaceOnce() {
		IdempotencyKey key = IdempotencyKey.of("pay", "key").within("shop");
		assertThat(key.scope().namespace()).isEqualTo("shop");
		assertThat(key.within("another")).isEqualTo(key);
	}

	/**
	 * {@code Aa} and {@code BB} have one hash code as texts, and so has every text of the
	 * same length that is made of them: maps would become lists.
	 */
	@Test
	void hasHashCodesThatNobodyCanForesee() {
		List<String> texts = textsOfOneHashCode(14);
		assertThat(texts.stream().map(String::hashCode).distinct()).hasSize(1);
		// Two texts seldom meet. If two do, so do all pairs that differ in the same way
		int nearlyAll = texts.size() - texts.size() / 100;
		assertThat(distinctHashCodes(texts, (text) -> IdempotencyKey.of("pay", text))).isGreaterThan(nearlyAll);
		assertThat(distinctHashCodes(texts, (text) -> IdempotencyKey.of(text, "key"))).isGreaterThan(nearlyAll);
		assertThat(distinctHashCodes(texts,
				(text) -> new IdempotencyKey(new IdempotencyScope("shop", "pay", text, null), "key")))
			.isGreaterThan(nearlyAll);
		assertThat(distinctHashCodes(texts,
				(text) -> new IdempotencyKey(new IdempotencyScope("shop", "pay", null, text), "key")))
			.isGreaterThan(nearlyAll);
		assertThat(distinctHashCodes(texts, (text) -> new IdempotencyScope("", "pay", text, null)))
			.isGreaterThan(nearlyAll);
	}

	private static long distinctHashCodes(List<String> texts, Function<String, Object> key) {
		return texts.stream().map(key).map(Object::hashCode).distinct().count();
	}

	private static List<String> textsOfOneHashCode(int pairs) {
		return IntStream.range(0, 1 << pairs)
			.mapToObj((number) -> IntStream.range(0, pairs)
				.mapToObj((pair) -> (((number >> pair) & 1) == 0) ? "Aa" : "BB")
				.collect(Collectors.joining()))
			.toList();
	}

	@Test
	void isEqualToWhatHasTheSameParts() {
		List<@Nullable String> parts = Arrays.asList(null, "", "a", "b", "ab", "\u20ac", "abc", "abcd");
		List<IdempotencyKey> keys = new ArrayList<>();
		for (String principal : parts) {
			for (String tenant : parts) {
				for (String value : List.of("a", "ab", "abc", "abcd", "a\u0000", "\ud83d\ude00")) {
					keys.add(new IdempotencyKey(new IdempotencyScope("", "op", principal, tenant), value));
				}
			}
		}
		for (int i = 0; i < keys.size(); i++) {
			IdempotencyScope scope = keys.get(i).scope();
			IdempotencyKey same = new IdempotencyKey(new IdempotencyScope("", "op", scope.principal(), scope.tenant()),
					keys.get(i).value());
			assertThat(same).isEqualTo(keys.get(i)).hasSameHashCodeAs(keys.get(i));
			assertThat(keys.indexOf(same)).isEqualTo(i);
		}
		assertThat(keys.stream().map(IdempotencyKey::hashCode).distinct().count()).isGreaterThan(keys.size() - 2);
	}

}
