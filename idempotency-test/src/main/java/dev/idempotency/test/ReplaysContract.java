package dev.idempotency.test;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.InspectableStore;
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
import static dev.idempotency.test.Scene.countingReplays;
import static dev.idempotency.test.Scene.extendingBy;
import static dev.idempotency.test.Scene.granted;
import static dev.idempotency.test.Scene.inProgress;
import static dev.idempotency.test.Scene.newKey;
import static dev.idempotency.test.Scene.terms;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract about the effects of a replay on the record.
 */
interface ReplaysContract extends StoreUnderTest {

	private IdempotencyKey completedFor(Duration ttl) {
		IdempotencyKey key = newKey();
		assertThat(store().complete(granted(store(), key, terms(ttl, ttl)), RESULT, ttl)).isTrue();
		return key;
	}

	// Count

	@Test
	default void countsReplaysOnlyWhereTheTermsSaySo() {
		IdempotencyKey key = completedFor(TTL);
		assertThat(completed(store(), key).replays()).isZero();
		assertThat(completed(store().claim(key, FINGERPRINT, countingReplays())).replays()).isEqualTo(1);
		assertThat(completed(store().claim(key, OTHER_FINGERPRINT, countingReplays())).replays()).isEqualTo(1);
		assertThat(completed(store().claim(key, FINGERPRINT, countingReplays())).replays()).isEqualTo(2);
		assertThat(completed(store(), key).replays()).isEqualTo(2);
	}

	/**
	 * More than a byte can count.
	 */
	@Test
	default void countsReplaysHoweverManyThereAre() {
		IdempotencyKey key = completedFor(TTL);
		for (int replay = 1; replay < 260; replay++) {
			assertThat(completed(store().claim(key, FINGERPRINT, countingReplays())).replays()).isEqualTo(replay);
		}
	}

	@Test
	default void countsReplaysThatComeAtOnceOneByOne() {
		IdempotencyKey key = completedFor(TTL);
		Function<Integer, Long> here = (round) -> completed(store().claim(key, FINGERPRINT, countingReplays()))
			.replays();
		Function<Integer, Long> there = (round) -> completed(otherInstance().claim(key, FINGERPRINT, countingReplays()))
			.replays();
		List<Integer> rounds = IntStream.range(0, 20).boxed().toList();
		assertThat(Race.meet(rounds, List.of(here, there)).stream().flatMap(List::stream)).doesNotHaveDuplicates()
			.contains(1L, 40L);
	}

	@Test
	default void countsOnWhereAResultWasExtended() {
		IdempotencyKey key = completedFor(LONG);
		store().claim(key, FINGERPRINT, countingReplays());
		assertThat(completed(store().claim(key, FINGERPRINT, extendingBy(TTL))).replays()).isEqualTo(1);
		assertThat(completed(store().claim(key, FINGERPRINT, countingReplays())).replays()).isEqualTo(2);
	}

	// Extend

	@Test
	default void extendsTheLifeOfAResultWhereTheTermsSaySo() {
		IdempotencyKey key = completedFor(SHORT);
		assertThat(completed(store().claim(key, FINGERPRINT, extendingBy(TTL))).result()).isEqualTo(RESULT);
		time().pass(PAST_SHORT);
		IdempotencyRecord.Completed record = completed(store(), key);
		assertThat(record.result()).isEqualTo(RESULT);
		assertThat(record.attempt()).isEqualTo(1);
		assertThat(record.fingerprint()).isEqualTo(FINGERPRINT);
	}

	@Test
	default void grantsATakeoverToAClaimThatWouldExtend() {
		IdempotencyKey key = newKey();
		abandoned(this, key);
		assertThat(granted(store(), key, extendingBy(TTL)).attempt()).isEqualTo(2);
	}

	/**
	 * All extensions end together, so that they are waited for once.
	 */
	@Test
	default void keepsTheLongestOfManyExtensionsThatComeAtOnce() {
		// Long enough for the race, also on a busy machine
		Duration soon = Duration.ofSeconds(2);
		List<IdempotencyKey> keys = Stream.generate(() -> completedFor(soon)).limit(RacesContract.MEETINGS).toList();
		Function<IdempotencyKey, ClaimResult> longer = (key) -> store().claim(key, FINGERPRINT, extendingBy(TTL));
		Function<IdempotencyKey, ClaimResult> shorter = (key) -> otherInstance().claim(key, FINGERPRINT,
				extendingBy(soon.plusMillis(100)));
		assertThat(Race.meet(keys, List.of(longer, shorter, shorter)))
			.allSatisfy((results) -> assertThat(results).hasOnlyElementsOfType(ClaimResult.Refused.class));
		time().pass(soon.plusMillis(200));
		assertThat(keys).allSatisfy((key) -> assertThat(completed(store(), key).result()).isEqualTo(RESULT));
	}

	/**
	 * A replay that writes back what it has read would bring the record back.
	 */
	@Test
	default void bringsNothingBackThatIsForgottenMeanwhile() {
		if (store() instanceof InspectableStore inspectable) {
			for (ClaimTerms terms : List.of(countingReplays(), extendingBy(TTL.multipliedBy(2)))) {
				List<IdempotencyKey> keys = Stream.generate(() -> completedFor(TTL))
					.limit(RacesContract.MEETINGS)
					.toList();
				Function<IdempotencyKey, Object> forget = (key) -> inspectable.forget(key);
				Function<IdempotencyKey, Object> replay = (key) -> otherInstance().claim(key, FINGERPRINT, terms);
				List<List<Object>> meetings = Race.meet(keys, List.of(forget, replay));
				for (int i = 0; i < keys.size(); i++) {
					assertThat(meetings.get(i).get(0)).isEqualTo(true);
					boolean next = meetings.get(i).get(1) instanceof ClaimResult.Granted;
					assertThat(inspectable.find(keys.get(i)).isPresent()).as("there is a record").isEqualTo(next);
				}
			}
		}
	}

}
