package dev.idempotency.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.OnCrash;
import dev.idempotency.UnsupportedFormatException;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static dev.idempotency.store.redis.RedisScene.FINGERPRINT;
import static dev.idempotency.store.redis.RedisScene.PREFIX;
import static dev.idempotency.store.redis.RedisScene.RESULT;
import static dev.idempotency.store.redis.RedisScene.TTL;
import static dev.idempotency.store.redis.RedisScene.claim;
import static dev.idempotency.store.redis.RedisScene.granted;
import static dev.idempotency.store.redis.RedisScene.nameOf;
import static dev.idempotency.store.redis.RedisScene.newKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What a record looks like to people and to the server.
 */
class RedisRecordTests {

	private static final LettuceConnectionFactory connectionFactory = RedisServers
		.lettuce(RedisServers.standalone(RedisServers.shared()));

	private static final StringRedisTemplate redis = new StringRedisTemplate(connectionFactory);

	private final RedisIdempotencyStore store = new RedisIdempotencyStore(connectionFactory, PREFIX, 0);

	@AfterAll
	static void close() {
		connectionFactory.destroy();
	}

	private static Map<String, String> fields(IdempotencyKey key) {
		return new HashMap<>(redis.<String, String>opsForHash().entries(nameOf(key)));
	}

	@Test
	void tellsWhoClaimedWhat() {
		IdempotencyKey key = new IdempotencyKey(new IdempotencyScope("shop", "POST /payments", "ann", "acme"),
				UUID.randomUUID().toString());
		Claim claim = granted(this.store, key);
		assertThat(fields(key)).containsEntry("namespace", "shop")
			.containsEntry("operation", "POST /payments")
			.containsEntry("principal", "ann")
			.containsEntry("tenant", "acme")
			.containsEntry("key", key.value())
			.containsEntry("state", "in-progress")
			.containsEntry("attempt", "1")
			.containsEntry("owner", claim.owner().toString())
			.containsEntry("fingerprint", HexFormat.of().formatHex(FINGERPRINT.toBytes()))
			.containsOnlyKeys("format", "namespace", "operation", "principal", "tenant", "key", "state", "attempt",
					"owner", "fingerprint", "created", "lease", "expires");
	}

	@Test
	void keepsTheOwnerAndDropsTheLeaseOnCompletion() {
		IdempotencyKey key = newKey();
		Claim claim = granted(this.store, key);
		this.store.complete(claim, RESULT, TTL);
		assertThat(fields(key)).containsEntry("state", "completed")
			.containsEntry("owner", claim.owner().toString())
			.containsEntry("result", new String(RESULT.toFrame(), StandardCharsets.UTF_8))
			.containsKey("completed")
			.doesNotContainKeys("lease", "principal", "tenant");
	}

	@Test
	void cutsLongTextsAndNotInTheMiddleOfACharacter() {
		IdempotencyKey key = IdempotencyKey.of("test", "k" + "\ud83d\udcb3".repeat(5000));
		granted(this.store, key);
		assertThat(fields(key).get("key")).isEqualTo("k" + "\ud83d\udcb3".repeat(126) + "\u2026");
		this.store.forget(key);
	}

	@Test
	void hasANameOfFixedSizeUnderThePrefix() {
		assertThat(nameOf(newKey())).startsWith(PREFIX).hasSize(PREFIX.length() + 64);
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
		assertThat(left(key)).as("completed").isBetween(Duration.ofHours(1), Duration.ofHours(2));
		this.store.claim(key, FINGERPRINT, new ClaimTerms(Duration.ofSeconds(1), ttl, OnCrash.RETRY, OnReplay.EXTEND));
		assertThat(left(key)).as("extended").isBetween(ttl.minusMinutes(1), ttl);
	}

	private static Duration left(IdempotencyKey key) {
		return Duration.ofSeconds(redis.getExpire(nameOf(key)));
	}

	@Test
	void isPassedOverByASearchWhenItsFormatIsNewerOrItIsNoRecord() {
		String namespace = UUID.randomUUID().toString();
		IdempotencyKey known = newKey().within(namespace);
		IdempotencyKey newer = newKey().within(namespace);
		granted(this.store, known);
		granted(this.store, newer);
		redis.opsForHash().put(nameOf(newer), "format", "2");
		redis.opsForHash().delete(nameOf(newer), "created", "operation");
		redis.opsForValue().set(PREFIX + "text".repeat(16), "no record");
		redis.opsForHash().put(PREFIX + "hash".repeat(16), "field", "no record");
		assertThat(this.store.search(RecordFilter.all(namespace), 0, 10).records()).singleElement()
			.satisfies((record) -> assertThat(record.id()).isEqualTo(RecordId.of(known)));
		assertThat(this.store.count(namespace).counts()).singleElement()
			.satisfies((count) -> assertThat(count.number()).isEqualTo(1));
		redis.delete(PREFIX + "text".repeat(16));
		redis.delete(PREFIX + "hash".repeat(16));
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
		assertThat(fields(key)).containsEntry("trace", "0af7651916cd43dd");
		Awaitility.await().until(() -> claim(this.store, key) instanceof ClaimResult.Granted);
		assertThat(fields(key)).containsEntry("attempt", "2").doesNotContainKey("trace");
	}

	@Test
	void isLeftAloneWhenItsFormatIsNewer() {
		IdempotencyKey key = newKey();
		Claim claim = granted(this.store, key);
		this.store.complete(claim, RESULT, TTL);
		redis.opsForHash().put(nameOf(key), "format", "2");
		Map<String, String> before = fields(key);
		assertThatExceptionOfType(UnsupportedFormatException.class).isThrownBy(() -> claim(this.store, key))
			.withMessageContaining("format 2");
		assertThatExceptionOfType(UnsupportedFormatException.class).isThrownBy(() -> this.store.find(key));
		assertThatExceptionOfType(UnsupportedFormatException.class).isThrownBy(() -> this.store.find(RecordId.of(key)));
		assertThat(fields(key)).isEqualTo(before);
	}

}
