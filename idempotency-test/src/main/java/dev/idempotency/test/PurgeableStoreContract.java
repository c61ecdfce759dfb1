package dev.idempotency.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.PurgeableStore;
import org.junit.jupiter.api.Test;

import static dev.idempotency.test.Scene.BRIEF;
import static dev.idempotency.test.Scene.FINGERPRINT;
import static dev.idempotency.test.Scene.LONG;
import static dev.idempotency.test.Scene.PAST_BRIEF;
import static dev.idempotency.test.Scene.PAST_SHORT;
import static dev.idempotency.test.Scene.RESULT;
import static dev.idempotency.test.Scene.SHORT;
import static dev.idempotency.test.Scene.TTL;
import static dev.idempotency.test.Scene.abandoned;
import static dev.idempotency.test.Scene.completed;
import static dev.idempotency.test.Scene.granted;
import static dev.idempotency.test.Scene.inProgress;
import static dev.idempotency.test.Scene.newKey;
import static dev.idempotency.test.Scene.terms;
import static dev.idempotency.test.Scene.withoutTakeover;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a store whose expired records have to be purged.
 */
public interface PurgeableStoreContract extends StoreUnderTest {

	private PurgeableStore purgeable() {
		return (PurgeableStore) store();
	}

	private void purgeAll() {
		while (purgeable().purge(1000) == 1000) {
			// Another batch
		}
	}

	@Test
	default void purgesWhatIsOverInBatches() {
		purgeAll();
		for (int i = 0; i < 5; i++) {
			store().complete(granted(store(), newKey(), terms(SHORT, SHORT)), RESULT, SHORT);
		}
		granted(store(), newKey(), terms(SHORT, SHORT));
		time().pass(PAST_SHORT);
		assertThat(purgeable().purge(4)).isEqualTo(4);
		assertThat(purgeable().purge(4)).isEqualTo(2);
		assertThat(purgeable().purge(4)).isZero();
	}

	@Test
	default void purgesNothingThatAClaimCouldMeet() {
		IdempotencyKey running = newKey();
		granted(store(), running);
		IdempotencyKey done = newKey();
		store().complete(granted(store(), done), RESULT, TTL);
		IdempotencyKey vanished = newKey();
		abandoned(this, vanished);
		purgeAll();
		assertThat(inProgress(store(), running).attempt()).isEqualTo(1);
		assertThat(completed(store(), done).result()).isEqualTo(RESULT);
		assertThat(granted(store(), vanished).attempt()).isEqualTo(2);
	}

	/**
	 * Neither what is done nor what nobody seems to want: only the ttl counts.
	 */
	@Test
	default void purgesNothingBeforeItsTtlHoweverOldItIs() {
		if (time().isMovable()) {
			IdempotencyKey done = newKey();
			store().complete(granted(store(), done, terms(LONG, ClaimTerms.MAX_DURATION)), RESULT, BRIEF);
			IdempotencyKey vanished = newKey();
			granted(store(), vanished, terms(BRIEF, ClaimTerms.MAX_DURATION));
			IdempotencyKey vanishedTwice = newKey();
			abandoned(this, vanishedTwice);
			granted(store(), vanishedTwice, terms(BRIEF, ClaimTerms.MAX_DURATION));
			for (Duration time : List.of(Duration.ofMinutes(2), Duration.ofHours(2), Duration.ofDays(2),
					Duration.ofDays(8), Duration.ofDays(40), Duration.ofDays(400))) {
				time().pass(time);
				purgeAll();
				assertThat(completed(store(), done).result()).isEqualTo(RESULT);
				assertThat(inProgress(store().claim(vanished, FINGERPRINT, withoutTakeover())).attempt()).isEqualTo(1);
				assertThat(inProgress(store().claim(vanishedTwice, FINGERPRINT, withoutTakeover())).attempt())
					.isEqualTo(2);
			}
		}
	}

	@Test
	default void purgesNothingInTheLastMomentOfItsTtl() {
		if (time().isMovable()) {
			IdempotencyKey running = newKey();
			granted(store(), running, terms(SHORT, SHORT));
			IdempotencyKey done = newKey();
			store().complete(granted(store(), done, terms(SHORT, SHORT)), RESULT, BRIEF);
			time().pass(SHORT.minus(BRIEF));
			purgeAll();
			assertThat(inProgress(store(), running).attempt()).isEqualTo(1);
			assertThat(completed(store(), done).result()).isEqualTo(RESULT);
		}
	}

	@Test
	default void purgesEachRecordOnceWhenManyPurgeAtOnce() {
		purgeAll();
		for (int i = 0; i < 50; i++) {
			store().complete(granted(store(), newKey(), terms(SHORT, SHORT)), RESULT, SHORT);
		}
		time().pass(PAST_SHORT);
		Function<Integer, Integer> here = (limit) -> purgeable().purge(limit);
		Function<Integer, Integer> there = (limit) -> ((PurgeableStore) otherInstance()).purge(limit);
		List<Integer> purged = Race.meet(List.of(20), List.of(here, there, here, there)).get(0);
		int atOnce = purged.stream().mapToInt(Integer::intValue).sum();
		int after = 0;
		for (int batch = purgeable().purge(20); batch > 0; batch = purgeable().purge(20)) {
			after += batch;
		}
		assertThat(atOnce + after).isEqualTo(50);
	}

	@Test
	default void purgesNoKeyThatIsClaimedAnewMeanwhile() {
		for (int round = 0; round < 5; round++) {
			List<IdempotencyKey> keys = Stream.generate(Scene::newKey).limit(20).toList();
			keys.forEach((key) -> granted(store(), key, terms(BRIEF, BRIEF)));
			time().pass(PAST_BRIEF);
			List<Claim> claims = Collections.synchronizedList(new ArrayList<>());
			Function<List<IdempotencyKey>, Integer> claimAll = (all) -> {
				all.forEach((key) -> claims.add(granted(store(), key)));
				return all.size();
			};
			Race.meet(List.of(keys), List.of(claimAll, (all) -> ((PurgeableStore) otherInstance()).purge(1000)));
			assertThat(claims).allSatisfy((claim) -> assertThat(store().renew(claim, LONG)).isTrue());
		}
	}

}
