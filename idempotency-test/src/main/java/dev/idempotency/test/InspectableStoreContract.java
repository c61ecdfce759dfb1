package dev.idempotency.test;

import java.time.Duration;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.KeyStatus;
import dev.idempotency.RecordState;
import dev.idempotency.store.Claim;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.InspectableStore.Inspection;
import org.junit.jupiter.api.Test;

import static dev.idempotency.test.Scene.FINGERPRINT;
import static dev.idempotency.test.Scene.LONG;
import static dev.idempotency.test.Scene.RESULT;
import static dev.idempotency.test.Scene.SHORT;
import static dev.idempotency.test.Scene.TTL;
import static dev.idempotency.test.Scene.abandoned;
import static dev.idempotency.test.Scene.extendingBy;
import static dev.idempotency.test.Scene.granted;
import static dev.idempotency.test.Scene.newKey;
import static dev.idempotency.test.Scene.terms;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a store that can be inspected.
 */
public interface InspectableStoreContract extends StoreUnderTest {

	private InspectableStore inspectable() {
		return (InspectableStore) store();
	}

	@Test
	default void findsNothingUnderAFreshKeyAndDoesNotClaimIt() {
		IdempotencyKey key = newKey();
		assertThat(inspectable().find(key)).isEmpty();
		assertThat(granted(store(), key).attempt()).isEqualTo(1);
	}

	@Test
	default void findsAKeyInProgress() {
		IdempotencyKey key = newKey();
		granted(store(), key);
		Inspection found = inspectable().find(key).orElseThrow();
		assertThat(found.fingerprint()).isEqualTo(FINGERPRINT);
		assertThat(found.result()).isNull();
		assertThat(found.status().state()).isEqualTo(RecordState.IN_PROGRESS);
		assertThat(found.status().completed()).isNull();
		assertThat(found.status().expires()).isAfter(found.status().created());
	}

	@Test
	default void findsAnAbandonedKeyAndDoesNotTakeItOver() {
		IdempotencyKey key = newKey();
		Claim claim = abandoned(this, key);
		Inspection found = inspectable().find(key).orElseThrow();
		assertThat(found.status().state()).isEqualTo(RecordState.ABANDONED);
		assertThat(store().complete(claim, RESULT, TTL)).isTrue();
	}

	@Test
	default void findsACompletedKeyWithItsResultAndDates() {
		IdempotencyKey key = newKey();
		store().complete(granted(store(), key), RESULT, TTL);
		Inspection found = inspectable().find(key).orElseThrow();
		assertThat(found.fingerprint()).isEqualTo(FINGERPRINT);
		assertThat(found.result()).isEqualTo(RESULT);
		assertThat(found.status().state()).isEqualTo(RecordState.COMPLETED);
		assertThat(found.status().completed()).isNotNull()
			.isBetween(found.status().created(), found.status().expires());
	}

	@Test
	default void findsAnExtendedResultWithALaterEndAndNoOtherDateChanged() {
		IdempotencyKey key = newKey();
		store().complete(granted(store(), key, terms(LONG, LONG)), RESULT, LONG);
		KeyStatus before = inspectable().find(key).orElseThrow().status();
		time().pass(SHORT);
		store().claim(key, FINGERPRINT, extendingBy(TTL));
		KeyStatus after = inspectable().find(key).orElseThrow().status();
		assertThat(Duration.between(before.expires(), after.expires())).isGreaterThanOrEqualTo(TTL.minus(LONG));
		assertThat(after.created()).isEqualTo(before.created());
		assertThat(after.completed()).isEqualTo(before.completed());
	}

	@Test
	default void forgetsNothingUnderAFreshKey() {
		assertThat(inspectable().forget(newKey())).isFalse();
	}

	@Test
	default void forgetsAResult() {
		IdempotencyKey key = newKey();
		store().complete(granted(store(), key), RESULT, TTL);
		assertThat(inspectable().forget(key)).isTrue();
		assertThat(inspectable().find(key)).isEmpty();
		assertThat(granted(store(), key).attempt()).isEqualTo(1);
	}

	@Test
	default void forgetsAKeyThatAClaimHoldsAlsoAfterATakeover() {
		IdempotencyKey key = newKey();
		abandoned(this, key);
		Claim second = granted(store(), key);
		assertThat(second.attempt()).isEqualTo(2);
		assertThat(inspectable().forget(second)).isTrue();
		assertThat(inspectable().find(key)).isEmpty();
		assertThat(granted(store(), key).attempt()).isEqualTo(1);
		assertThat(inspectable().forget(second)).as("the claim is lost").isFalse();
		assertThat(inspectable().find(key)).isPresent();
	}

	@Test
	default void forgetsNothingForAClaimThatIsLost() {
		IdempotencyKey key = newKey();
		Claim first = abandoned(this, key);
		Claim second = granted(store(), key);
		assertThat(inspectable().forget(first)).isFalse();
		assertThat(store().complete(second, RESULT, TTL)).isTrue();
		assertThat(inspectable().forget(second)).as("a completed key").isFalse();
		assertThat(inspectable().find(key)).isPresent();
	}

	@Test
	default void forgettingAKeyInProgressLosesItsClaim() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		assertThat(inspectable().forget(key)).isTrue();
		assertThat(store().renew(claim, LONG)).isFalse();
		assertThat(store().complete(claim, RESULT, TTL)).isFalse();
		assertThat(store().release(claim)).isFalse();
		assertThat(granted(store(), key).attempt()).isEqualTo(1);
	}

}
