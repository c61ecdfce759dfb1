package dev.idempotency.test;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.RecordState;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.OnReplay;
import org.junit.jupiter.api.Test;

import static dev.idempotency.test.Scene.BRIEF;
import static dev.idempotency.test.Scene.FINGERPRINT;
import static dev.idempotency.test.Scene.LONG;
import static dev.idempotency.test.Scene.OTHER_FINGERPRINT;
import static dev.idempotency.test.Scene.PAST_BRIEF;
import static dev.idempotency.test.Scene.RESULT;
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

/**
 * The contract about owners that crash, stall or come late, and about those who take
 * over, on the other instance.
 */
interface CrashesContract extends StoreUnderTest {

	// Takeover

	@Test
	default void grantsATakeoverAsTheNextAttemptWhenTheLeaseIsOver() {
		IdempotencyKey key = newKey();
		Claim previous = abandoned(this, key);
		for (int attempt = 2; attempt < 6; attempt++) {
			Claim next = granted((attempt % 2 == 0) ? otherInstance() : store(), key, terms(BRIEF));
			assertThat(next.attempt()).isEqualTo(attempt);
			assertThat(next.owner()).isNotEqualTo(previous.owner());
			assertThat(next.key()).isEqualTo(key);
			time().pass(PAST_BRIEF);
			previous = next;
		}
	}

	@Test
	default void keepsTheFingerprintAcrossTakeover() {
		IdempotencyKey key = newKey();
		abandoned(this, key);
		IdempotencyRecord.InProgress record = inProgress(otherInstance().claim(key, OTHER_FINGERPRINT, terms(LONG)));
		assertThat(record.fingerprint()).isEqualTo(FINGERPRINT);
		assertThat(record.isAbandoned()).isTrue();
		assertThat(granted(store(), key).attempt()).isEqualTo(2);
		assertThat(inProgress(otherInstance(), key).fingerprint()).isEqualTo(FINGERPRINT);
	}

	@Test
	default void letsNobodyTakeOverWithoutAFingerprintWhatHasOne() {
		IdempotencyKey key = newKey();
		abandoned(this, key);
		assertThat(refused(otherInstance().claim(key, Fingerprint.none(), terms(LONG))).fingerprint())
			.isEqualTo(FINGERPRINT);
		assertThat(granted(store(), key).attempt()).isEqualTo(2);
	}

	@Test
	default void letsNobodyTakeOverWithAFingerprintWhatHasNone() {
		IdempotencyKey key = newKey();
		granted(store().claim(key, Fingerprint.none(), terms(BRIEF)));
		time().pass(PAST_BRIEF);
		assertThat(refused(otherInstance().claim(key, FINGERPRINT, terms(LONG))).fingerprint())
			.isEqualTo(Fingerprint.none());
		assertThat(granted(otherInstance().claim(key, Fingerprint.none(), terms(LONG))).attempt()).isEqualTo(2);
		assertThat(refused(store().claim(key, Fingerprint.none(), terms(LONG))).fingerprint())
			.isEqualTo(Fingerprint.none());
	}

	@Test
	default void refusesATakeoverWhereTheTermsForbidIt() {
		IdempotencyKey key = newKey();
		abandoned(this, key);
		for (IdempotencyStore instance : List.of(store(), otherInstance())) {
			IdempotencyRecord.InProgress record = inProgress(instance.claim(key, FINGERPRINT, withoutTakeover()));
			assertThat(record.isAbandoned()).isTrue();
			assertThat(record.attempt()).isEqualTo(1);
		}
		assertThat(granted(store(), key).attempt()).as("a claim whose terms allow it").isEqualTo(2);
	}

	@Test
	default void asksForTheTermsOfWhoeverTakesOver() {
		IdempotencyKey key = newKey();
		granted(store(), key, new ClaimTerms(BRIEF, TTL, OnCrash.REFUSE, OnReplay.READ));
		time().pass(PAST_BRIEF);
		assertThat(granted(otherInstance(), key).attempt()).isEqualTo(2);
	}

	// A late owner after a takeover

	@Test
	default void refusesToRenewAfterTakeover() {
		IdempotencyKey key = newKey();
		Claim late = abandoned(this, key);
		Claim successor = granted(otherInstance(), key, terms(BRIEF));
		assertThat(store().renew(late, LONG)).isFalse();
		time().pass(PAST_BRIEF);
		assertThat(inProgress(store().claim(key, FINGERPRINT, withoutTakeover())).isAbandoned()).isTrue();
		assertThat(otherInstance().complete(successor, RESULT, TTL)).isTrue();
	}

	@Test
	default void refusesToCompleteAfterTakeover() {
		IdempotencyKey key = newKey();
		Claim late = abandoned(this, key);
		Claim successor = granted(otherInstance(), key);
		assertThat(store().complete(late, result("too late"), TTL)).isFalse();
		assertThat(inProgress(store(), key).attempt()).isEqualTo(2);
		assertThat(otherInstance().complete(successor, RESULT, TTL)).isTrue();
		assertThat(store().complete(late, result("far too late"), TTL)).isFalse();
		assertThat(completed(store(), key).result()).isEqualTo(RESULT);
	}

	@Test
	default void refusesToReleaseAfterTakeover() {
		IdempotencyKey key = newKey();
		Claim late = abandoned(this, key);
		Claim successor = granted(otherInstance(), key);
		assertThat(store().release(late)).isFalse();
		assertThat(inProgress(store(), key).attempt()).isEqualTo(2);
		assertThat(otherInstance().complete(successor, RESULT, TTL)).isTrue();
		assertThat(store().release(late)).isFalse();
		assertThat(completed(store(), key).result()).isEqualTo(RESULT);
	}

	@Test
	default void refusesEverythingToALateOwnerWhoseSuccessorIsAbandoned() {
		IdempotencyKey key = newKey();
		Claim late = abandoned(this, key);
		Claim successor = granted(otherInstance(), key, terms(BRIEF));
		time().pass(PAST_BRIEF);
		canDoNothing(late);
		assertThat(otherInstance().complete(successor, RESULT, TTL)).isTrue();
		assertThat(completed(store(), key).attempt()).isEqualTo(2);
	}

	// A late owner without a takeover

	@Test
	default void acceptsALateRenewal() {
		IdempotencyKey key = newKey();
		Claim late = abandoned(this, key);
		refused(store().claim(key, OTHER_FINGERPRINT, terms(LONG)));
		assertThat(otherInstance().renew(late, LONG)).isTrue();
		IdempotencyRecord.InProgress record = inProgress(store(), key);
		assertThat(record.isAbandoned()).isFalse();
		assertThat(record.attempt()).isEqualTo(1);
		assertThat(store().complete(late, RESULT, TTL)).isTrue();
	}

	@Test
	default void acceptsALateCompletion() {
		IdempotencyKey key = newKey();
		Claim late = abandoned(this, key);
		refused(store().claim(key, FINGERPRINT, withoutTakeover()));
		assertThat(otherInstance().complete(late, RESULT, TTL)).isTrue();
		assertThat(completed(store(), key).result()).isEqualTo(RESULT);
		assertThat(completed(store(), key).attempt()).isEqualTo(1);
	}

	@Test
	default void acceptsALateRelease() {
		IdempotencyKey key = newKey();
		assertThat(otherInstance().release(abandoned(this, key))).isTrue();
		assertThat(granted(store().claim(key, OTHER_FINGERPRINT, terms(LONG))).attempt()).isEqualTo(1);
	}

	@Test
	default void acceptsALateReleaseOfATakeoverAndRemembersTheCrash() {
		IdempotencyKey key = newKey();
		abandoned(this, key);
		Claim second = granted(otherInstance(), key, terms(BRIEF));
		time().pass(PAST_BRIEF);
		assertThat(store().release(second)).isTrue();
		assertThat(granted(store(), key).attempt()).isEqualTo(3);
	}

	@Test
	default void remembersTheAttemptThatCompleted() {
		IdempotencyKey key = newKey();
		abandoned(this, key);
		store().complete(granted(otherInstance(), key), RESULT, TTL);
		assertThat(completed(store(), key).attempt()).isEqualTo(2);
	}

	// Release

	@Test
	default void releaseMakesTheNextClaimAFirstOne() {
		IdempotencyKey key = newKey();
		assertThat(store().release(granted(store(), key))).isTrue();
		assertThat(granted(otherInstance().claim(key, OTHER_FINGERPRINT, terms(LONG))).attempt()).isEqualTo(1);
		assertThat(inProgress(store(), key).fingerprint()).isEqualTo(OTHER_FINGERPRINT);
	}

	@Test
	default void refusesEverythingAfterRelease() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		store().release(claim);
		canDoNothing(claim);
		Claim next = granted(otherInstance(), key);
		assertThat(next.attempt()).isEqualTo(1);
		assertThat(next.owner()).isNotEqualTo(claim.owner());
		canDoNothing(claim);
		assertThat(store().complete(next, RESULT, TTL)).isTrue();
		canDoNothing(claim);
		assertThat(completed(store(), key).result()).isEqualTo(RESULT);
	}

	@Test
	default void releaseAfterTakeoverFreesTheKeyAndRemembersTheCrash() {
		IdempotencyKey key = newKey();
		abandoned(this, key);
		Claim second = granted(otherInstance(), key);
		assertThat(store().release(second)).isTrue();
		assertThat(refused(store().claim(key, OTHER_FINGERPRINT, terms(LONG))).fingerprint()).isEqualTo(FINGERPRINT);
		IdempotencyRecord.InProgress record = inProgress(otherInstance().claim(key, FINGERPRINT, withoutTakeover()));
		assertThat(record.isAbandoned()).isTrue();
		assertThat(record.attempt()).isEqualTo(2);
		Claim third = granted(otherInstance(), key);
		assertThat(third.attempt()).isEqualTo(3);
		canDoNothing(second);
		assertThat(store().complete(third, RESULT, TTL)).isTrue();
	}

	@Test
	default void refusesEverythingAfterReleaseOfATakeover() {
		IdempotencyKey key = newKey();
		Claim first = abandoned(this, key);
		Claim second = granted(store(), key);
		store().release(second);
		canDoNothing(second);
		canDoNothing(first);
		assertThat(granted(otherInstance(), key).attempt()).isEqualTo(3);
	}

	/**
	 * More than a byte can count. A takeover after a release does not have to be waited
	 * for.
	 */
	@Test
	default void remembersEveryCrashHoweverOftenAKeyIsTakenOver() {
		IdempotencyKey key = newKey();
		Set<UUID> owners = new HashSet<>();
		owners.add(abandoned(this, key).owner());
		for (int attempt = 2; attempt < 260; attempt++) {
			Claim claim = granted((attempt % 2 == 0) ? otherInstance() : store(), key);
			assertThat(claim.attempt()).isEqualTo(attempt);
			assertThat(owners.add(claim.owner())).as("the owner is a new one").isTrue();
			assertThat(store().release(claim)).isTrue();
		}
	}

	// An owner that reports that its outcome is unknown

	@Test
	default void leavesAnAbandonedKeyToTheNextAttemptAtOnce() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		for (int attempt = 2; attempt < 5; attempt++) {
			assertThat(otherInstance().abandon(claim)).isTrue();
			canDoNothing(claim);
			assertThat(refused(store().claim(key, OTHER_FINGERPRINT, terms(LONG))).fingerprint())
				.isEqualTo(FINGERPRINT);
			IdempotencyRecord.InProgress record = inProgress(store().claim(key, FINGERPRINT, withoutTakeover()));
			assertThat(record.isAbandoned()).isTrue();
			assertThat(record.attempt()).isEqualTo(attempt - 1);
			claim = granted(store(), key);
			assertThat(claim.attempt()).isEqualTo(attempt);
		}
		assertThat(otherInstance().complete(claim, RESULT, TTL)).isTrue();
		assertThat(store().abandon(claim)).as("a completed key").isFalse();
		assertThat(completed(store(), key).result()).isEqualTo(RESULT);
	}

	@Test
	default void acceptsThatALateOwnerAbandonsItsKey() {
		IdempotencyKey key = newKey();
		Claim late = abandoned(this, key);
		assertThat(otherInstance().abandon(late)).isTrue();
		canDoNothing(late);
		assertThat(granted(store(), key).attempt()).isEqualTo(2);
	}

	@Test
	default void tellsAnOutcomeThatWasReportedFromACrash() {
		if (!(store() instanceof InspectableStore inspectable)) {
			return;
		}
		IdempotencyKey key = newKey();
		abandoned(this, key);
		assertThat(state(inspectable, key)).as("a crash").isEqualTo(RecordState.ABANDONED);
		Claim second = granted(otherInstance(), key);
		store().abandon(second);
		assertThat(state(inspectable, key)).as("a report").isEqualTo(RecordState.REPORTED_UNKNOWN);
		Claim third = granted(otherInstance(), key);
		assertThat(state(inspectable, key)).as("the next attempt runs").isEqualTo(RecordState.IN_PROGRESS);
		store().release(third);
		assertThat(state(inspectable, key)).as("a release after it").isEqualTo(RecordState.ABANDONED);
		Claim fourth = granted(otherInstance(), key);
		store().complete(fourth, RESULT, TTL);
		assertThat(state(inspectable, key)).as("completed").isEqualTo(RecordState.COMPLETED);
	}

	private static RecordState state(InspectableStore store, IdempotencyKey key) {
		return store.find(key).orElseThrow().status().state();
	}

	private void canDoNothing(Claim claim) {
		for (IdempotencyStore instance : List.of(store(), otherInstance())) {
			assertThat(instance.renew(claim, LONG)).as("renewed").isFalse();
			assertThat(instance.complete(claim, result("too late"), TTL)).as("completed").isFalse();
			assertThat(instance.release(claim)).as("released").isFalse();
			assertThat(instance.abandon(claim)).as("abandoned").isFalse();
			if (instance instanceof InspectableStore inspectable) {
				assertThat(inspectable.forget(claim)).as("forgotten").isFalse();
			}
		}
	}

}
