package dev.idempotency.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.KeyStatus;
import dev.idempotency.OnCrash;
import dev.idempotency.RecordState;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.RecordFilter;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static dev.idempotency.store.redis.RedisScene.FINGERPRINT;
import static dev.idempotency.store.redis.RedisScene.PREFIX;
import static dev.idempotency.store.redis.RedisScene.RESULT;
import static dev.idempotency.store.redis.RedisScene.newKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A record has no dates: they follow from when it expires. So whatever changes that must
 * leave them as they are, one change after the other.
 */
class RedisDatesTests {

	private static final Duration TTL = Duration.ofMinutes(10);

	@AutoClose("destroy")
	private static final LettuceConnectionFactory connectionFactory = RedisServers
		.lettuce(RedisServers.standalone(RedisServers.shared()));

	private final RedisIdempotencyStore store = new RedisIdempotencyStore(connectionFactory, PREFIX, 0);

	/**
	 * What can happen to a claim before it is completed.
	 */
	private static final List<Named<BiFunction<RedisIdempotencyStore, Claim, Claim>>> BEFORE = List.of(
			Named.of("nothing", (store, claim) -> claim),
			Named.of("a renewal within the ttl", (store, claim) -> renewed(store, claim, TTL.dividedBy(2))),
			Named.of("a renewal past the ttl", (store, claim) -> renewed(store, claim, TTL.multipliedBy(3))),
			Named.of("a waiter", RedisDatesTests::awaited), Named.of("a takeover", RedisDatesTests::takenOver),
			Named.of("a takeover of what was given back", (store, claim) -> {
				store.release(takenOver(store, claim));
				return granted(store, claim.key(), terms(Duration.ofMinutes(1), TTL));
			}));

	/**
	 * What can happen from its completion on.
	 */
	private static final List<Named<BiFunction<RedisIdempotencyStore, Claim, Boolean>>> AFTER = List.of(
			Named.of("nothing", (store, claim) -> false),
			Named.of("a completion", (store, claim) -> store.complete(claim, RESULT, Duration.ofSeconds(1))),
			Named.of("a completion that asks for more",
					(store, claim) -> store.complete(claim, RESULT, TTL.multipliedBy(5))),
			Named.of("an extension", (store, claim) -> {
				store.complete(claim, RESULT, Duration.ofSeconds(1));
				store.claim(claim.key(), FINGERPRINT,
						new ClaimTerms(Duration.ofSeconds(1), TTL.multipliedBy(7), OnCrash.RETRY, OnReplay.EXTEND));
				return true;
			}), Named.of("counted replays", (store, claim) -> {
				store.complete(claim, RESULT, Duration.ofSeconds(1));
				ClaimTerms counting = new ClaimTerms(Duration.ofSeconds(1), TTL, OnCrash.RETRY, OnReplay.COUNT);
				store.claim(claim.key(), FINGERPRINT, counting);
				store.claim(claim.key(), FINGERPRINT, counting);
				return true;
			}));

	static Stream<Arguments> changes() {
		return BEFORE.stream().flatMap((before) -> AFTER.stream().map((after) -> Arguments.of(before, after)));
	}

	@ParameterizedTest(name = "{0}, then {1}")
	@MethodSource("changes")
	void staysCreatedWhenItWas(BiFunction<RedisIdempotencyStore, Claim, Claim> before,
			BiFunction<RedisIdempotencyStore, Claim, Boolean> after) {
		IdempotencyKey key = newKey().within("dates");
		Claim first = granted(this.store, key, terms(Duration.ofMillis(1), TTL));
		KeyStatus claimed = status(key);
		assertThat(Duration.between(claimed.created(), claimed.expires())).isEqualTo(TTL);
		Claim claim = before.apply(this.store, first);
		KeyStatus running = status(key);
		assertThat(running.created()).isEqualTo(claimed.created());
		assertThat(running.expires()).isAfterOrEqualTo(claimed.expires());
		boolean completed = after.apply(this.store, claim);
		KeyStatus settled = status(key);
		assertThat(settled.created()).isEqualTo(claimed.created());
		assertThat(settled.expires()).isAfterOrEqualTo(running.expires());
		if (completed) {
			assertThat(settled.state()).isEqualTo(RecordState.COMPLETED);
			assertThat(settled.completed()).isNotNull().isBetween(settled.created(), settled.expires());
		}
		assertThat(this.store.search(RecordFilter.all("dates").withKey(key.value()), 0, 10).records()).singleElement()
			.satisfies((found) -> assertThat(found.status()).isEqualTo(settled));
	}

	static Stream<Arguments> leases() {
		return Stream.of(Arguments.of(BEFORE.get(1), TTL.dividedBy(2)),
				Arguments.of(BEFORE.get(2), TTL.multipliedBy(3)), Arguments.of(BEFORE.get(4), Duration.ofMinutes(1)),
				Arguments.of(BEFORE.get(5), Duration.ofMinutes(1)));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("leases")
	void tellsHowLongItHasRunAndForHowLongItIsHeld(BiFunction<RedisIdempotencyStore, Claim, Claim> before,
			Duration lease) {
		IdempotencyKey key = newKey().within("dates");
		Claim first = granted(this.store, key, terms(Duration.ofMillis(1), TTL));
		Instant created = status(key).created();
		assertThat(before.apply(this.store, first)).isNotNull();
		Inspection found = this.store.find(key).orElseThrow();
		assertThat(found.summary().leaseLeft()).isBetween(lease.minusSeconds(30), lease);
		ClaimResult refused = this.store.claim(key, FINGERPRINT, terms(Duration.ofMinutes(1), TTL));
		assertThat(refused).isInstanceOfSatisfying(ClaimResult.Refused.class, (result) -> {
			IdempotencyRecord.InProgress running = (IdempotencyRecord.InProgress) result.record();
			assertThat(running.leaseLeft()).isBetween(lease.minusSeconds(30), lease);
			assertThat(running.age()).isBetween(Duration.ZERO, Duration.between(created, Instant.now()).plusSeconds(1));
		});
	}

	private static Claim renewed(RedisIdempotencyStore store, Claim claim, Duration lease) {
		assertThat(store.renew(claim, lease)).isTrue();
		return claim;
	}

	private static Claim awaited(RedisIdempotencyStore store, Claim claim) {
		store.subscribe(claim.key(), () -> {
		}).close();
		return claim;
	}

	private static Claim takenOver(RedisIdempotencyStore store, Claim claim) {
		ClaimTerms terms = terms(Duration.ofMinutes(1), TTL);
		return ((ClaimResult.Granted) await().until(() -> store.claim(claim.key(), FINGERPRINT, terms),
				ClaimResult.Granted.class::isInstance))
			.claim();
	}

	private static Claim granted(RedisIdempotencyStore store, IdempotencyKey key, ClaimTerms terms) {
		return ((ClaimResult.Granted) store.claim(key, FINGERPRINT, terms)).claim();
	}

	private static ClaimTerms terms(Duration lease, Duration ttl) {
		return new ClaimTerms(lease, ttl, OnCrash.RETRY, OnReplay.READ);
	}

	private KeyStatus status(IdempotencyKey key) {
		return this.store.find(key).orElseThrow().status();
	}

}
