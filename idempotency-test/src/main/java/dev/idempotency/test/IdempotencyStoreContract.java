package dev.idempotency.test;

import java.time.Duration;
import java.util.Map;
import java.util.Random;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.UnsupportedFormatException;
import dev.idempotency.store.BatchRenewingStore;
import dev.idempotency.store.Claim;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.JoiningStore;
import dev.idempotency.store.NotifyingStore;
import dev.idempotency.store.PurgeableStore;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.StoredResult;
import org.junit.jupiter.api.Test;

import static dev.idempotency.test.Scene.FINGERPRINT;
import static dev.idempotency.test.Scene.LONG;
import static dev.idempotency.test.Scene.OTHER_FINGERPRINT;
import static dev.idempotency.test.Scene.PAST_SHORT;
import static dev.idempotency.test.Scene.RESULT;
import static dev.idempotency.test.Scene.SHORT;
import static dev.idempotency.test.Scene.TTL;
import static dev.idempotency.test.Scene.abandoned;
import static dev.idempotency.test.Scene.completed;
import static dev.idempotency.test.Scene.granted;
import static dev.idempotency.test.Scene.inProgress;
import static dev.idempotency.test.Scene.newKey;
import static dev.idempotency.test.Scene.refused;
import static dev.idempotency.test.Scene.result;
import static dev.idempotency.test.Scene.terms;
import static dev.idempotency.test.Scene.withoutTakeover;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The contract of every store. Extend it in a test class, and implement the contract of
 * each further ability of the store; the base class detects a missing one.
 */
public abstract class IdempotencyStoreContract implements KeysContract, RacesContract, ReplaysContract, TracesContract {

	private static final Map<Class<?>, Class<?>> CONTRACTS = Map.of(BatchRenewingStore.class,
			BatchRenewingStoreContract.class, InspectableStore.class, InspectableStoreContract.class,
			JoiningStore.class, JoiningStoreContract.class, NotifyingStore.class, NotifyingStoreContract.class,
			PurgeableStore.class, PurgeableStoreContract.class, SearchableStore.class, SearchableStoreContract.class);

	/**
	 * Servers have clocks of their own.
	 */
	private static final Duration HARDLY_LESS_THAN_SHORT = SHORT.minusMillis(50);

	@Test
	void everyAbilityOfTheStoreIsUnderContract() {
		CONTRACTS.forEach((ability, contract) -> {
			if (ability.isInstance(store())) {
				assertThat(contract).as("the contract of %s", ability.getSimpleName()).isAssignableFrom(getClass());
			}
		});
	}

	// Claim

	@Test
	void grantsAFreshKeyAsTheFirstAttempt() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		assertThat(claim.key()).isEqualTo(key);
		assertThat(claim.attempt()).isEqualTo(1);
	}

	@Test
	void refusesAKeyInProgressAndSaysHowLong() {
		IdempotencyKey key = newKey();
		granted(store(), key);
		IdempotencyRecord.InProgress record = inProgress(store(), key);
		assertThat(record.fingerprint()).isEqualTo(FINGERPRINT);
		assertThat(record.attempt()).isEqualTo(1);
		assertThat(record.leaseLeft()).isPositive().isLessThanOrEqualTo(LONG);
		assertThat(record.isAbandoned()).isFalse();
	}

	@Test
	void refusesAKeyInProgressAndSaysHowLongAgoItWasFirstClaimed() {
		IdempotencyKey key = newKey();
		Claim first = granted(store(), key, terms(SHORT));
		assertThat(inProgress(store(), key).age()).isLessThan(LONG);
		time().pass(SHORT);
		store().renew(first, SHORT);
		assertThat(inProgress(store(), key).age()).isBetween(HARDLY_LESS_THAN_SHORT, LONG);
		time().pass(PAST_SHORT);
		granted(store(), key);
		assertThat(inProgress(store(), key).age()).isBetween(SHORT.plus(HARDLY_LESS_THAN_SHORT), LONG);
	}

	@Test
	void refusesAKeyInProgressToAnotherFingerprintWithTheFirstOne() {
		IdempotencyKey key = newKey();
		granted(store(), key);
		IdempotencyRecord record = refused(store().claim(key, OTHER_FINGERPRINT, terms(LONG)));
		assertThat(record.fingerprint()).isEqualTo(FINGERPRINT);
	}

	@Test
	void refusesACompletedKeyWithItsResult() {
		IdempotencyKey key = newKey();
		assertThat(store().complete(granted(store(), key), RESULT, TTL)).isTrue();
		IdempotencyRecord.Completed record = completed(store(), key);
		assertThat(record.result()).isEqualTo(RESULT);
		assertThat(record.fingerprint()).isEqualTo(FINGERPRINT);
		assertThat(record.attempt()).isEqualTo(1);
	}

	@Test
	void refusesACompletedKeyToAnotherFingerprintWithTheFirstOne() {
		IdempotencyKey key = newKey();
		store().complete(granted(store(), key), RESULT, TTL);
		IdempotencyRecord record = refused(store().claim(key, OTHER_FINGERPRINT, terms(LONG)));
		assertThat(record.fingerprint()).isEqualTo(FINGERPRINT);
	}

	@Test
	void givesEachClaimAnOwnerOfItsOwn() {
		assertThat(granted(store(), newKey()).owner()).isNotEqualTo(granted(store(), newKey()).owner());
	}

	// Takeover

	@Test
	void grantsATakeoverAsTheNextAttemptWhenTheLeaseIsOver() {
		IdempotencyKey key = newKey();
		Claim first = abandoned(this, key);
		Claim second = granted(store(), key, terms(SHORT));
		assertThat(second.attempt()).isEqualTo(2);
		assertThat(second.owner()).isNotEqualTo(first.owner());
		time().pass(PAST_SHORT);
		assertThat(granted(store(), key).attempt()).isEqualTo(3);
	}

	@Test
	void keepsTheFingerprintAcrossTakeover() {
		IdempotencyKey key = newKey();
		abandoned(this, key);
		IdempotencyRecord.InProgress record = inProgress(store().claim(key, OTHER_FINGERPRINT, terms(LONG)));
		assertThat(record.fingerprint()).isEqualTo(FINGERPRINT);
		assertThat(record.isAbandoned()).isTrue();
		assertThat(granted(store(), key).attempt()).isEqualTo(2);
		assertThat(inProgress(store(), key).fingerprint()).isEqualTo(FINGERPRINT);
	}

	@Test
	void refusesATakeoverWhereTheTermsForbidIt() {
		IdempotencyKey key = newKey();
		abandoned(this, key);
		for (int i = 0; i < 2; i++) {
			IdempotencyRecord.InProgress record = inProgress(store().claim(key, FINGERPRINT, withoutTakeover()));
			assertThat(record.isAbandoned()).isTrue();
			assertThat(record.attempt()).isEqualTo(1);
		}
	}

	@Test
	void refusesToRenewAfterTakeover() {
		IdempotencyKey key = newKey();
		Claim late = abandoned(this, key);
		Claim successor = granted(store(), key);
		assertThat(store().renew(late, LONG)).isFalse();
		assertThat(store().complete(successor, RESULT, TTL)).isTrue();
	}

	@Test
	void refusesToCompleteAfterTakeover() {
		IdempotencyKey key = newKey();
		Claim late = abandoned(this, key);
		Claim successor = granted(store(), key);
		assertThat(store().complete(late, result("too late"), TTL)).isFalse();
		assertThat(inProgress(store(), key).attempt()).isEqualTo(2);
		assertThat(store().complete(successor, RESULT, TTL)).isTrue();
		assertThat(store().complete(late, result("far too late"), TTL)).isFalse();
		assertThat(completed(store(), key).result()).isEqualTo(RESULT);
	}

	@Test
	void refusesToReleaseAfterTakeover() {
		IdempotencyKey key = newKey();
		Claim late = abandoned(this, key);
		Claim successor = granted(store(), key);
		assertThat(store().release(late)).isFalse();
		assertThat(inProgress(store(), key).attempt()).isEqualTo(2);
		assertThat(store().complete(successor, RESULT, TTL)).isTrue();
		assertThat(store().release(late)).isFalse();
		assertThat(completed(store(), key).result()).isEqualTo(RESULT);
	}

	@Test
	void acceptsWhatComesAfterTheLeaseWhenNobodyTookOver() {
		IdempotencyKey key = newKey();
		Claim late = abandoned(this, key);
		assertThat(store().renew(late, LONG)).isTrue();
		assertThat(inProgress(store(), key).isAbandoned()).isFalse();
		IdempotencyKey other = newKey();
		assertThat(store().complete(abandoned(this, other), RESULT, TTL)).isTrue();
		assertThat(completed(store(), other).result()).isEqualTo(RESULT);
	}

	// Renew

	@Test
	void renewLetsTheLeaseRunAnew() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key, terms(SHORT));
		assertThat(store().renew(claim, LONG)).isTrue();
		time().pass(PAST_SHORT);
		assertThat(inProgress(store(), key).leaseLeft()).isPositive();
	}

	@Test
	void renewKeepsWorkThatOutlivesItsTtl() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key, terms(SHORT, SHORT));
		assertThat(store().renew(claim, LONG)).isTrue();
		time().pass(PAST_SHORT);
		inProgress(store(), key);
		assertThat(store().complete(claim, RESULT, TTL)).isTrue();
	}

	// Complete

	@Test
	void refusesEverythingAfterCompletion() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		store().complete(claim, RESULT, TTL);
		assertThat(store().complete(claim, result("again"), TTL)).isFalse();
		assertThat(store().renew(claim, LONG)).isFalse();
		assertThat(store().release(claim)).isFalse();
		assertThat(completed(store(), key).result()).isEqualTo(RESULT);
	}

	@Test
	void remembersTheAttemptThatCompleted() {
		IdempotencyKey key = newKey();
		abandoned(this, key);
		store().complete(granted(store(), key), RESULT, TTL);
		assertThat(completed(store(), key).attempt()).isEqualTo(2);
	}

	@Test
	void keepsATombstone() {
		assertThat(storedAndReadBack(StoredResult.tombstone()).isTombstone()).isTrue();
	}

	@Test
	void keepsAnEmptyResultApartFromATombstone() {
		StoredResult empty = storedAndReadBack(StoredResult.of(new byte[0]));
		assertThat(empty.isTombstone()).isFalse();
		assertThat(empty.payload().remaining()).isZero();
	}

	@Test
	void keepsEveryByte() {
		byte[] bytes = new byte[256];
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = (byte) i;
		}
		assertThat(storedAndReadBack(StoredResult.of(bytes))).isEqualTo(StoredResult.of(bytes));
	}

	@Test
	void keepsALargeResult() {
		byte[] bytes = new byte[4 * 1024 * 1024];
		new Random(42).nextBytes(bytes);
		assertThat(storedAndReadBack(StoredResult.of(bytes)).equals(StoredResult.of(bytes))).isTrue();
	}

	@Test
	void leavesAResultOfANewerFormatAlone() {
		byte[] frame = { (byte) 0xfe, 0x7f, 1, 2, 3 };
		StoredResult newer = storedAndReadBack(StoredResult.fromFrame(frame));
		assertThat(newer.toFrame()).isEqualTo(frame);
		assertThatExceptionOfType(UnsupportedFormatException.class).isThrownBy(newer::payload)
			.withMessageContaining("format 254");
	}

	private StoredResult storedAndReadBack(StoredResult result) {
		IdempotencyKey key = newKey();
		assertThat(store().complete(granted(store(), key), result, TTL)).isTrue();
		return completed(store(), key).result();
	}

	// Release

	@Test
	void releaseMakesTheNextClaimAFirstOne() {
		IdempotencyKey key = newKey();
		assertThat(store().release(granted(store(), key))).isTrue();
		assertThat(granted(store().claim(key, OTHER_FINGERPRINT, terms(LONG))).attempt()).isEqualTo(1);
	}

	@Test
	void refusesEverythingAfterRelease() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		store().release(claim);
		assertThat(store().renew(claim, LONG)).isFalse();
		assertThat(store().complete(claim, RESULT, TTL)).isFalse();
		assertThat(store().release(claim)).isFalse();
		assertThat(granted(store(), key).attempt()).isEqualTo(1);
	}

	@Test
	void releaseAfterTakeoverFreesTheKeyAndRemembersTheCrash() {
		IdempotencyKey key = newKey();
		abandoned(this, key);
		Claim second = granted(store(), key);
		assertThat(store().release(second)).isTrue();
		assertThat(refused(store().claim(key, OTHER_FINGERPRINT, terms(LONG))).fingerprint()).isEqualTo(FINGERPRINT);
		assertThat(inProgress(store().claim(key, FINGERPRINT, withoutTakeover())).isAbandoned()).isTrue();
		Claim third = granted(store(), key);
		assertThat(third.attempt()).isEqualTo(3);
		assertThat(store().complete(second, result("given back"), TTL)).isFalse();
		assertThat(store().complete(third, RESULT, TTL)).isTrue();
	}

	@Test
	void refusesEverythingAfterReleaseOfATakeover() {
		IdempotencyKey key = newKey();
		abandoned(this, key);
		Claim second = granted(store(), key);
		store().release(second);
		assertThat(store().renew(second, LONG)).isFalse();
		assertThat(store().complete(second, RESULT, TTL)).isFalse();
		assertThat(store().release(second)).isFalse();
	}

	// Ttl

	@Test
	void forgetsAResultWhenItsTtlIsOver() {
		IdempotencyKey key = newKey();
		store().complete(granted(store(), key, terms(SHORT, SHORT)), RESULT, SHORT);
		time().pass(PAST_SHORT);
		assertThat(granted(store().claim(key, OTHER_FINGERPRINT, terms(LONG))).attempt()).isEqualTo(1);
	}

	@Test
	void countsTheTtlFromTheClaim() {
		IdempotencyKey key = newKey();
		Duration ttl = SHORT.multipliedBy(2);
		Claim claim = granted(store(), key, terms(ttl, ttl));
		time().pass(SHORT);
		assertThat(store().complete(claim, RESULT, Duration.ofMillis(1))).isTrue();
		time().pass(PAST_SHORT);
		assertThat(granted(store(), key).attempt()).isEqualTo(1);
	}

	@Test
	void countsTheTtlFromATakeover() {
		IdempotencyKey key = newKey();
		granted(store(), key, terms(SHORT, SHORT.multipliedBy(2)));
		time().pass(PAST_SHORT);
		Claim successor = granted(store(), key, terms(SHORT, TTL));
		assertThat(store().complete(successor, RESULT, Duration.ofMillis(1))).isTrue();
		time().pass(PAST_SHORT);
		assertThat(completed(store(), key).result()).isEqualTo(RESULT);
	}

	@Test
	void doesNotShortenTheTtlOfTheClaim() {
		IdempotencyKey key = newKey();
		assertThat(store().complete(granted(store(), key), RESULT, SHORT)).isTrue();
		time().pass(PAST_SHORT);
		assertThat(completed(store(), key).result()).isEqualTo(RESULT);
	}

	@Test
	void remembersAResultForAWhileThatIsCompletedAtTheEndOfItsTtl() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key, terms(SHORT, SHORT));
		assertThat(store().complete(claim, RESULT, TTL)).isTrue();
		time().pass(PAST_SHORT);
		assertThat(completed(store(), key).result()).isEqualTo(RESULT);
	}

	@Test
	void forgetsAnAbandonedKeyWhenItsTtlIsOver() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key, terms(SHORT, SHORT));
		time().pass(PAST_SHORT);
		Claim next = granted(store().claim(key, OTHER_FINGERPRINT, terms(LONG)));
		assertThat(next.attempt()).isEqualTo(1);
		assertThat(store().complete(claim, RESULT, TTL)).isFalse();
	}

}
