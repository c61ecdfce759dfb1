package dev.idempotency.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.IdempotencyRecord;
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

	@Test
	default void countsReplaysThatComeAtOnceOneByOne() {
		IdempotencyKey key = completedFor(TTL);
		List<Long> counts = Race.run(20, () -> completed(store().claim(key, FINGERPRINT, countingReplays())).replays());
		assertThat(counts).doesNotHaveDuplicates().contains(1L, 20L);
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
	default void letsTheTtlRunAnewAndDoesNotAddToIt() {
		IdempotencyKey key = completedFor(SHORT);
		for (int i = 0; i < 3; i++) {
			store().claim(key, FINGERPRINT, extendingBy(SHORT));
		}
		time().pass(PAST_SHORT);
		assertThat(granted(store(), key).attempt()).isEqualTo(1);
	}

	@Test
	default void neverShortensTheLifeOfAResult() {
		IdempotencyKey key = completedFor(TTL);
		assertThat(completed(store().claim(key, FINGERPRINT, extendingBy(SHORT))).result()).isEqualTo(RESULT);
		time().pass(PAST_SHORT);
		assertThat(completed(store(), key).result()).isEqualTo(RESULT);
	}

	@Test
	default void doesNotExtendTheLifeOfAResultForAnotherFingerprint() {
		IdempotencyKey key = completedFor(SHORT);
		assertThat(completed(store().claim(key, OTHER_FINGERPRINT, extendingBy(TTL))).fingerprint())
			.isEqualTo(FINGERPRINT);
		time().pass(PAST_SHORT);
		assertThat(granted(store(), key).attempt()).isEqualTo(1);
	}

	@Test
	default void doesNotExtendTheLifeOfAResultThatIsOnlyReadOrCounted() {
		IdempotencyKey read = completedFor(SHORT);
		completed(store(), read);
		IdempotencyKey counted = completedFor(SHORT);
		completed(store().claim(counted, FINGERPRINT, countingReplays()));
		time().pass(PAST_SHORT);
		assertThat(granted(store(), read).attempt()).isEqualTo(1);
		assertThat(granted(store(), counted).attempt()).isEqualTo(1);
	}

	@Test
	default void doesNotExtendTheLifeOfAKeyInProgress() {
		IdempotencyKey key = newKey();
		granted(store(), key, terms(SHORT, SHORT));
		assertThat(inProgress(store().claim(key, FINGERPRINT, extendingBy(TTL))).attempt()).isEqualTo(1);
		time().pass(PAST_SHORT);
		assertThat(granted(store(), key).attempt()).isEqualTo(1);
	}

	@Test
	default void grantsATakeoverToAClaimThatWouldExtend() {
		IdempotencyKey key = newKey();
		abandoned(this, key);
		assertThat(granted(store(), key, extendingBy(TTL)).attempt()).isEqualTo(2);
	}

	@Test
	default void grantsAKeyAnewWhoseResultIsOverToAClaimThatWouldExtend() {
		IdempotencyKey key = completedFor(SHORT);
		time().pass(PAST_SHORT);
		assertThat(granted(store(), key, extendingBy(TTL)).attempt()).isEqualTo(1);
	}

	@Test
	default void keepsTheLongestOfManyExtensionsThatComeAtOnce() {
		// Long enough for the race, also on a busy machine
		Duration soon = Duration.ofSeconds(2);
		List<IdempotencyKey> keys = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			IdempotencyKey key = completedFor(soon);
			List<ClaimResult> results = Race.run(8, () -> store().claim(key, FINGERPRINT,
					extendingBy(Thread.currentThread().getName().equals("race-0") ? TTL : soon)));
			assertThat(results).hasOnlyElementsOfType(ClaimResult.Refused.class);
			keys.add(key);
		}
		time().pass(soon.plusMillis(100));
		assertThat(keys).allSatisfy((key) -> assertThat(completed(store(), key).result()).isEqualTo(RESULT));
	}

}
