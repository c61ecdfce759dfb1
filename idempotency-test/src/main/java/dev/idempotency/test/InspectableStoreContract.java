package dev.idempotency.test;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.KeyStatus;
import dev.idempotency.RecordState;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.InspectableStore.Inspection;
import org.junit.jupiter.api.Test;

import static dev.idempotency.test.Scene.FINGERPRINT;
import static dev.idempotency.test.Scene.LONG;
import static dev.idempotency.test.Scene.RESULT;
import static dev.idempotency.test.Scene.SHORT;
import static dev.idempotency.test.Scene.TTL;
import static dev.idempotency.test.Scene.abandoned;
import static dev.idempotency.test.Scene.claim;
import static dev.idempotency.test.Scene.completed;
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

	@Test
	default void seesWhatTheOtherInstanceDoes() {
		InspectableStore other = (InspectableStore) otherInstance();
		IdempotencyKey key = newKey();
		assertThat(inspectable().find(key)).isEmpty();
		Claim claim = granted(other, key);
		assertThat(inspectable().find(key).orElseThrow().status().state()).isEqualTo(RecordState.IN_PROGRESS);
		other.complete(claim, RESULT, TTL);
		assertThat(inspectable().find(key).orElseThrow().result()).isEqualTo(RESULT);
		assertThat(completed(store(), key).result()).isEqualTo(RESULT);
		assertThat(other.forget(key)).isTrue();
		assertThat(inspectable().find(key)).isEmpty();
		assertThat(granted(store(), key).attempt()).isEqualTo(1);
	}

	@Test
	default void acceptsThatALateOwnerForgetsItsKey() {
		IdempotencyKey key = newKey();
		assertThat(((InspectableStore) otherInstance()).forget(abandoned(this, key))).isTrue();
		assertThat(granted(store(), key).attempt()).isEqualTo(1);
	}

	// Meanwhile on the other instance

	@Test
	default void bringsNoKeyBackThatIsForgottenMeanwhile() {
		List<Function<Claim, Boolean>> others = List.of((claim) -> otherInstance().complete(claim, RESULT, TTL),
				(claim) -> otherInstance().renew(claim, LONG), (claim) -> otherInstance().release(claim));
		for (Function<Claim, Boolean> other : others) {
			List<Claim> claims = Stream.generate(() -> granted(store(), newKey()))
				.limit(RacesContract.MEETINGS)
				.toList();
			List<List<Boolean>> meetings = Race.meet(claims,
					List.of((claim) -> inspectable().forget(claim.key()), other));
			for (int i = 0; i < claims.size(); i++) {
				// Only a release leaves nothing to forget
				assertThat(meetings.get(i)).contains(true);
				assertThat(inspectable().find(claims.get(i).key())).isEmpty();
			}
		}
	}

	@Test
	default void forgetsNoSuccessorThatTakesOverMeanwhile() {
		List<Claim> claims = abandoned(this, RacesContract.MEETINGS);
		List<List<Object>> meetings = Race.meet(claims,
				List.of((late) -> inspectable().forget(late), (late) -> claim(otherInstance(), late.key())));
		for (List<Object> meeting : meetings) {
			Claim successor = granted((ClaimResult) meeting.get(1));
			assertThat(successor.attempt()).isEqualTo(meeting.get(0).equals(true) ? 1 : 2);
			assertThat(store().complete(successor, RESULT, TTL)).isTrue();
		}
	}

	@Test
	default void losesNothingForgottenByItsOwnerToARenewal() {
		List<Claim> claims = Stream.generate(() -> granted(store(), newKey())).limit(RacesContract.MEETINGS).toList();
		assertThat(Race.meet(claims,
				List.of((claim) -> inspectable().forget(claim), (claim) -> otherInstance().renew(claim, LONG))))
			.allSatisfy((meeting) -> assertThat(meeting.get(0)).isEqualTo(true));
		assertThat(claims).allSatisfy((claim) -> assertThat(inspectable().find(claim.key())).isEmpty());
	}

}
