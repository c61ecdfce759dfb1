package dev.idempotency.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.KeyStatus;
import dev.idempotency.OnCrash;
import dev.idempotency.UnreadableResultException;
import dev.idempotency.UnsupportedFormatException;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordSummary;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static dev.idempotency.store.redis.Names.utf8;
import static dev.idempotency.store.redis.RedisScene.FINGERPRINT;
import static dev.idempotency.store.redis.RedisScene.NAMES;
import static dev.idempotency.store.redis.RedisScene.PREFIX;
import static dev.idempotency.store.redis.RedisScene.RESULT;
import static dev.idempotency.store.redis.RedisScene.TTL;
import static dev.idempotency.store.redis.RedisScene.claim;
import static dev.idempotency.store.redis.RedisScene.granted;
import static dev.idempotency.store.redis.RedisScene.newKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

/**
 * What a record looks like to people and to the server.
 */
class RedisRecordTests {

	@AutoClose("destroy")
	private static final LettuceConnectionFactory connectionFactory = RedisServers
		.lettuce(RedisServers.standalone(RedisServers.shared()));

	private static final StringRedisTemplate redis = new StringRedisTemplate(connectionFactory);

	private final RedisIdempotencyStore store = new RedisIdempotencyStore(connectionFactory, PREFIX, 0);

	private static byte[] bytes(IdempotencyKey key) {
		byte[] bytes = redis.execute((connection) -> connection.stringCommands().get(NAMES.record(key)), true);
		assertThat(bytes).isNotNull();
		return bytes;
	}

	private static void change(IdempotencyKey key, byte[] bytes) {
		redis.execute((connection) -> connection.stringCommands().pSetEx(NAMES.record(key), TTL.toMillis(), bytes),
				true);
	}

	private static String text(IdempotencyKey key) {
		return new String(bytes(key), StandardCharsets.UTF_8);
	}

	private KeyStatus status(IdempotencyKey key) {
		return this.store.find(key).orElseThrow().status();
	}

	private static RecordSummary summary(IdempotencyKey key) {
		return PackedRecord.read(bytes(key), 0).toSummary(RecordId.of(key), 0, 0);
	}

	@Test
	void tellsWhoClaimedWhat() {
		IdempotencyKey key = new IdempotencyKey(new IdempotencyScope("shop", "POST /payments", "ann", "acme"),
				"order " + UUID.randomUUID());
		Claim claim = granted(this.store, key);
		assertThat(text(key)).endsWith("shop\0POST /payments\0ann\0acme\0" + key.value() + "\0");
		assertThat(PackedRecord.read(bytes(key), 0)).satisfies((record) -> {
			assertThat(record.isOwnedBy(claim.owner())).isTrue();
			assertThat(record.toRecord(0).fingerprint()).isEqualTo(FINGERPRINT);
			assertThat(record.attempt()).isEqualTo(1);
			assertThat(record.isCompleted()).isFalse();
		});
		assertThat(status(key).created()).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
	}

	@Test
	void keepsTheOwnerOnCompletion() {
		IdempotencyKey key = newKey();
		Claim claim = granted(this.store, key);
		byte[] before = bytes(key);
		this.store.complete(claim, RESULT, TTL);
		assertThat(PackedRecord.read(bytes(key), 0)).satisfies((record) -> {
			assertThat(record.isOwnedBy(claim.owner())).isTrue();
			assertThat(record.result()).isEqualTo(RESULT);
			assertThat(record.isCompleted()).isTrue();
		});
		assertThat(status(key).completed()).isAfterOrEqualTo(status(key).created());
		assertThat(bytes(key)).as("no byte but the result's and its size").hasSize(before.length + 1 + RESULT.size());
	}

	@Test
	void takesAUuidAsBytes() {
		IdempotencyKey key = newKey();
		granted(this.store, key);
		assertThat(bytes(key)).hasSize(22 + 32 + "\0test\0".length() + 16);
		assertThat(summary(key).key().key()).isEqualTo(key.value());
		assertThat(this.store.search(RecordFilter.all("").withKey(key.value()), 0, 10).records()).hasSize(1);
	}

	@Test
	void cutsLongTextsAndNotInTheMiddleOfACharacter() {
		IdempotencyKey key = IdempotencyKey.of("test", "k" + "\ud83d\udcb3".repeat(5000));
		granted(this.store, key);
		assertThat(summary(key).key().key()).isEqualTo("k" + "\ud83d\udcb3".repeat(126) + "\u2026");
		this.store.forget(key);
	}

	@Test
	void isFoundWhateverTheSizeOfItsTexts() {
		String namespace = UUID.randomUUID().toString();
		String longest = "\u20ac".repeat(2000);
		IdempotencyKey key = new IdempotencyKey(new IdempotencyScope(namespace, longest, longest, longest), longest);
		this.store.complete(granted(this.store, key), RESULT, TTL);
		assertThat(
				this.store.search(RecordFilter.all(namespace).withKey(longest).withOperation(longest), 0, 10).records())
			.singleElement()
			.isEqualTo(this.store.find(RecordId.of(key)).orElseThrow().summary());
		assertThat(this.store.count(namespace).counts()).hasSize(1);
		this.store.forget(key);
	}

	@Test
	void hasANameOfFixedSizeUnderThePrefix() {
		assertThat(NAMES.record(newKey())).startsWith(utf8(PREFIX)).hasSize(PREFIX.length() + 32);
	}

	@Test
	void isDroppedByTheServerWhenItsTimeIsOver() {
		IdempotencyKey key = newKey();
		Duration ttl = Duration.ofHours(3);
		Claim claim = ((ClaimResult.Granted) this.store.claim(key, FINGERPRINT,
				new ClaimTerms(Duration.ofSeconds(1), ttl, OnCrash.RETRY, OnReplay.READ)))
			.claim();
		assertThat(left(key)).as("in progress, long after its lease").isBetween(ttl.minusMinutes(1), ttl);
		this.store.renew(claim, Duration.ofHours(4));
		assertThat(left(key)).as("renewed beyond its ttl").isBetween(Duration.ofHours(3), Duration.ofHours(4));
		this.store.complete(claim, RESULT, Duration.ofHours(2));
		assertThat(left(key)).as("completed").isBetween(Duration.ofHours(3), Duration.ofHours(4));
		this.store.claim(key, FINGERPRINT,
				new ClaimTerms(Duration.ofSeconds(1), Duration.ofHours(5), OnCrash.RETRY, OnReplay.EXTEND));
		assertThat(left(key)).as("extended").isBetween(Duration.ofHours(4), Duration.ofHours(5));
	}

	@Test
	void isRememberedForAWhileAtLeastOnceItIsCompleted() {
		IdempotencyKey key = newKey();
		Claim claim = granted(this.store, key);
		this.store.complete(claim, RESULT, TTL.multipliedBy(2));
		assertThat(left(key)).isBetween(TTL, TTL.multipliedBy(2));
	}

	private static Duration left(IdempotencyKey key) {
		Long left = redis.execute((connection) -> connection.keyCommands().pTtl(NAMES.record(key)), true);
		assertThat(left).isNotNull();
		return Duration.ofMillis(left);
	}

	@Test
	void isPassedOverByASearchWhenItsFormatIsNewerOrItIsNoRecord() {
		String namespace = UUID.randomUUID().toString();
		IdempotencyKey known = newKey().within(namespace);
		IdempotencyKey newer = newKey().within(namespace);
		granted(this.store, known);
		granted(this.store, newer);
		change(newer, new byte[] { 3 });
		redis.opsForValue().set(PREFIX + "text".repeat(8), "no record");
		redis.opsForValue().set(PREFIX + "half".repeat(8), "\2 the first byte of a record, and then no more texts");
		redis.opsForHash().put(PREFIX + "hash".repeat(8), "field", "no record");
		assertThat(this.store.search(RecordFilter.all(namespace), 0, 10).records()).singleElement()
			.satisfies((record) -> assertThat(record.id()).isEqualTo(RecordId.of(known)));
		assertThat(this.store.count(namespace).counts()).singleElement()
			.satisfies((count) -> assertThat(count.number()).isEqualTo(1));
		redis.delete(PREFIX + "text".repeat(8));
		redis.delete(PREFIX + "half".repeat(8));
		redis.delete(PREFIX + "hash".repeat(8));
	}

	@Test
	void isFoundUnderAPrefixThatLooksLikeAPattern() {
		String prefix = "[a-z]*?\\" + UUID.randomUUID() + ":";
		RedisIdempotencyStore odd = new RedisIdempotencyStore(connectionFactory, prefix, 0);
		IdempotencyKey key = newKey().within("odd");
		granted(odd, key);
		assertThat(odd.search(RecordFilter.all("odd"), 0, 10).records()).hasSize(1);
		assertThat(odd.search(RecordFilter.all("odd").withKey(key.value()), 0, 10).records()).hasSize(1);
		assertThat(this.store.search(RecordFilter.all("odd"), 0, 10).records()).isEmpty();
		odd.forget(key);
	}

	@Test
	void tellsTheTraceOfItsLatestAttemptIfThereIsOne() {
		IdempotencyKey key = newKey();
		this.store.claim(key, FINGERPRINT,
				new ClaimTerms(Duration.ofMillis(1), TTL, OnCrash.RETRY, OnReplay.READ, "0af7651916cd43dd"));
		assertThat(text(key)).contains("\0test\0000af7651916cd43dd\0");
		Awaitility.await().until(() -> claim(this.store, key) instanceof ClaimResult.Granted);
		assertThat(summary(key).status().attempt()).isEqualTo(2);
		assertThat(summary(key).trace()).isNull();
	}

	@Test
	void isLeftAloneWhenItsFormatIsNewer() {
		IdempotencyKey key = newKey();
		Claim claim = granted(this.store, key);
		this.store.complete(claim, RESULT, TTL);
		byte[] newer = bytes(key);
		newer[0] = 3;
		change(key, newer);
		assertThatExceptionOfType(UnsupportedFormatException.class).isThrownBy(() -> claim(this.store, key))
			.withMessageContaining("format 3");
		assertThatExceptionOfType(UnsupportedFormatException.class).isThrownBy(() -> this.store.find(key));
		assertThatExceptionOfType(UnsupportedFormatException.class).isThrownBy(() -> this.store.find(RecordId.of(key)));
		assertThat(this.store.complete(claim, RESULT, TTL)).isFalse();
		assertThat(this.store.renew(claim, TTL)).isFalse();
		assertThat(this.store.release(claim)).isFalse();
		assertThat(bytes(key)).isEqualTo(newer);
	}

	/**
	 * Whatever is left of a record or was put in its place: no operation runs, and
	 * nothing is made worse.
	 */
	@ParameterizedTest
	@EnumSource(OnReplay.class)
	void isNeverTakenForAnotherWhenItIsCut(OnReplay onReplay) {
		IdempotencyKey key = newKey();
		this.store.complete(granted(this.store, key), RESULT, TTL);
		byte[] whole = bytes(key);
		ClaimTerms terms = new ClaimTerms(Duration.ofMillis(1), TTL, OnCrash.RETRY, onReplay);
		for (int length = 1; length < whole.length; length++) {
			byte[] cut = Arrays.copyOf(whole, length);
			change(key, cut);
			assertThatExceptionOfType(UnreadableResultException.class).as("%d bytes", length)
				.isThrownBy(() -> this.store.claim(key, FINGERPRINT, terms))
				.withMessageContaining("damaged");
			assertThatExceptionOfType(UnreadableResultException.class).isThrownBy(() -> this.store.find(key));
			assertThat(bytes(key)).hasSize(length);
		}
		for (String other : List.of("", "G", "G\0\1", "R", "D123456", "O", "\0", "text")) {
			change(key, utf8(other));
			assertThatException().isThrownBy(() -> this.store.claim(key, FINGERPRINT, terms))
				.isInstanceOf(IdempotencyException.class);
			assertThat(bytes(key)).isEqualTo(utf8(other));
		}
		assertThat(this.store.forget(key)).isTrue();
	}

	@Test
	void survivesAClockThatWasSetBack() {
		IdempotencyKey key = newKey();
		Claim claim = granted(this.store, key);
		Instant created = status(key).created();
		// As if it had been claimed tomorrow
		expire(key, TTL.plusDays(1));
		assertThat(status(key).created()).isAfter(created.plus(Duration.ofHours(23)));
		assertThat(this.store.renew(claim, Duration.ofSeconds(1))).isTrue();
		assertThat(this.store.complete(claim, RESULT, TTL)).isTrue();
		assertThat(status(key).completed()).isEqualTo(status(key).created());
	}

	@Test
	void isNotTakenFromItsOwnerWhenSomebodyHadItKeptForGood() {
		IdempotencyKey key = newKey();
		Claim claim = granted(this.store, key);
		redis.execute((connection) -> connection.keyCommands().persist(NAMES.record(key)), true);
		assertThat(claim(this.store, key)).isInstanceOf(ClaimResult.Refused.class);
		assertThat(this.store.renew(claim, TTL)).isTrue();
		assertThat(this.store.complete(claim, RESULT, TTL)).isTrue();
		assertThat(left(key)).isBetween(TTL.minusMinutes(1), TTL);
		assertThat(status(key).created()).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
	}

	private static void expire(IdempotencyKey key, Duration left) {
		redis.execute((connection) -> connection.keyCommands().pExpire(NAMES.record(key), left.toMillis()), true);
	}

}
