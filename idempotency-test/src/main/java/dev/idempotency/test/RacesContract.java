package dev.idempotency.test;

import java.util.List;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import org.junit.jupiter.api.Test;

import static dev.idempotency.test.Scene.PAST_SHORT;
import static dev.idempotency.test.Scene.RESULT;
import static dev.idempotency.test.Scene.SHORT;
import static dev.idempotency.test.Scene.TTL;
import static dev.idempotency.test.Scene.abandoned;
import static dev.idempotency.test.Scene.claim;
import static dev.idempotency.test.Scene.granted;
import static dev.idempotency.test.Scene.newKey;
import static dev.idempotency.test.Scene.terms;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract about many threads that claim the same key.
 */
interface RacesContract extends StoreUnderTest {

	@Test
	default void grantsAKeyToOneOfAThousandThreads() {
		IdempotencyKey key = newKey();
		List<ClaimResult> results = Race.run(1000, () -> claim(store(), key));
		assertThat(results).filteredOn(ClaimResult.Granted.class::isInstance).hasSize(1);
	}

	@Test
	default void grantsATakeoverToOneOfManyThreads() {
		IdempotencyKey key = newKey();
		abandoned(this, key);
		List<ClaimResult> results = Race.run(100, () -> claim(store(), key));
		assertThat(results).filteredOn(ClaimResult.Granted.class::isInstance)
			.singleElement()
			.satisfies((result) -> assertThat(granted(result).attempt()).isEqualTo(2));
	}

	@Test
	default void grantsAReleasedKeyToOneOfManyThreads() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		List<Boolean> released = Race.run(20, () -> store().release(claim));
		assertThat(released).containsOnlyOnce(true);
		assertThat(Race.run(100, () -> claim(store(), key))).filteredOn(ClaimResult.Granted.class::isInstance)
			.hasSize(1);
	}

	@Test
	default void letsEitherALateCompletionOrATakeoverWin() {
		// All at once: the clock of a server cannot be moved, and each would be waited
		// for
		List<Claim> abandoned = Stream.generate(() -> granted(store(), newKey(), terms(SHORT))).limit(20).toList();
		time().pass(PAST_SHORT);
		for (Claim late : abandoned) {
			IdempotencyKey key = late.key();
			List<Object> outcomes = Race.run(8, () -> Thread.currentThread().getName().equals("race-0")
					? store().complete(late, RESULT, TTL) : claim(store(), key));
			boolean completed = outcomes.get(0).equals(true);
			long takeovers = outcomes.stream().filter(ClaimResult.Granted.class::isInstance).count();
			assertThat(takeovers).as("takeovers when the late completion was accepted: %s", completed)
				.isEqualTo(completed ? 0 : 1);
		}
	}

	@Test
	default void runsEachOfManyKeysOnce() {
		for (int round = 0; round < 50; round++) {
			IdempotencyKey key = newKey();
			List<Boolean> executed = Race.run(8, () -> {
				ClaimResult result = claim(store(), key);
				return result instanceof ClaimResult.Granted granted && store().complete(granted.claim(), RESULT, TTL);
			});
			assertThat(executed).containsOnlyOnce(true);
		}
	}

	@Test
	default void agreesWithTheModelOnRandomSequences() {
		long seed = System.nanoTime();
		new RandomSequences(store(), seed).run(100, 40);
	}

}
