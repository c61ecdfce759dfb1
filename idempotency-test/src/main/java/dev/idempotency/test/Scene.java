package dev.idempotency.test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.NotifyingStore;
import dev.idempotency.store.NotifyingStore.Subscription;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The fixtures of the contracts: keys, terms and results, and claims with an expected
 * result.
 */
final class Scene {

	static final Duration LONG = Duration.ofMinutes(5);

	/**
	 * Short enough to wait for, long enough for a few round trips.
	 */
	static final Duration SHORT = Duration.ofMillis(300);

	static final Duration PAST_SHORT = SHORT.plusMillis(100);

	/**
	 * For leases that need not hold.
	 */
	static final Duration BRIEF = Duration.ofMillis(1);

	/**
	 * Longer than the steps of a coarse clock.
	 */
	static final Duration PAST_BRIEF = Duration.ofMillis(20);

	static final Duration TTL = Duration.ofHours(1);

	static final Fingerprint FINGERPRINT = Fingerprint.sha256("this".getBytes(StandardCharsets.UTF_8));

	static final Fingerprint OTHER_FINGERPRINT = Fingerprint.sha256("that".getBytes(StandardCharsets.UTF_8));

	static final StoredResult RESULT = result("the result");

	private Scene() {
	}

	static IdempotencyKey newKey() {
		return IdempotencyKey.of("contract", UUID.randomUUID().toString());
	}

	/**
	 * Subscribes, and tries again on failure, since a store may have no connection for
	 * notifications at the moment.
	 */
	static Subscription subscribe(StoreUnderTest test, IdempotencyKey key, Runnable wakeUp) {
		long begin = System.nanoTime();
		while (true) {
			try {
				return ((NotifyingStore) test.store()).subscribe(key, wakeUp);
			}
			catch (RuntimeException ex) {
				if (System.nanoTime() - begin > test.patience().toNanos()) {
					throw ex;
				}
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
			}
		}
	}

	static StoredResult result(String text) {
		return StoredResult.of(text.getBytes(StandardCharsets.UTF_8));
	}

	static ClaimTerms terms(Duration lease) {
		return terms(lease, TTL);
	}

	static ClaimTerms terms(Duration lease, Duration ttl) {
		return new ClaimTerms(lease, ttl, OnCrash.RETRY, OnReplay.READ);
	}

	static ClaimTerms withoutTakeover() {
		return new ClaimTerms(LONG, TTL, OnCrash.REFUSE, OnReplay.READ);
	}

	static ClaimTerms countingReplays() {
		return new ClaimTerms(LONG, TTL, OnCrash.RETRY, OnReplay.COUNT);
	}

	static ClaimTerms traced(Duration lease, Duration ttl, @Nullable String trace) {
		return new ClaimTerms(lease, ttl, OnCrash.RETRY, OnReplay.READ, trace);
	}

	/**
	 * Terms whose replays start the ttl again.
	 */
	static ClaimTerms extendingBy(Duration ttl) {
		return new ClaimTerms(SHORT, ttl, OnCrash.RETRY, OnReplay.EXTEND);
	}

	static ClaimResult claim(IdempotencyStore store, IdempotencyKey key) {
		return store.claim(key, FINGERPRINT, terms(LONG));
	}

	static Claim granted(IdempotencyStore store, IdempotencyKey key) {
		return granted(claim(store, key));
	}

	static Claim granted(IdempotencyStore store, IdempotencyKey key, ClaimTerms terms) {
		return granted(store.claim(key, FINGERPRINT, terms));
	}

	static Claim granted(ClaimResult result) {
		assertThat(result).isInstanceOf(ClaimResult.Granted.class);
		return ((ClaimResult.Granted) result).claim();
	}

	static IdempotencyRecord refused(ClaimResult result) {
		assertThat(result).isInstanceOf(ClaimResult.Refused.class);
		return ((ClaimResult.Refused) result).record();
	}

	static IdempotencyRecord.InProgress inProgress(IdempotencyStore store, IdempotencyKey key) {
		return inProgress(claim(store, key));
	}

	static IdempotencyRecord.InProgress inProgress(ClaimResult result) {
		IdempotencyRecord record = refused(result);
		assertThat(record).isInstanceOf(IdempotencyRecord.InProgress.class);
		return (IdempotencyRecord.InProgress) record;
	}

	static IdempotencyRecord.Completed completed(IdempotencyStore store, IdempotencyKey key) {
		return completed(claim(store, key));
	}

	static IdempotencyRecord.Completed completed(ClaimResult result) {
		IdempotencyRecord record = refused(result);
		assertThat(record).isInstanceOf(IdempotencyRecord.Completed.class);
		return (IdempotencyRecord.Completed) record;
	}

	/**
	 * Returns the claim of a key in progress whose lease has expired.
	 */
	static Claim abandoned(StoreUnderTest test, IdempotencyKey key) {
		Claim claim = granted(test.store(), key, terms(BRIEF));
		test.time().pass(PAST_BRIEF);
		return claim;
	}

	/**
	 * Returns the claims of some keys in progress whose leases have expired.
	 */
	static List<Claim> abandoned(StoreUnderTest test, int keys) {
		List<Claim> claims = Stream.generate(() -> granted(test.store(), newKey(), terms(BRIEF))).limit(keys).toList();
		test.time().pass(PAST_BRIEF);
		return claims;
	}

}
