package dev.idempotency.test;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.PurgeableStore;
import org.junit.jupiter.api.Test;

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

	@Test
	default void purgesEachRecordOnceWhenManyPurgeAtOnce() {
		purgeAll();
		for (int i = 0; i < 50; i++) {
			store().complete(granted(store(), newKey(), terms(SHORT, SHORT)), RESULT, SHORT);
		}
		time().pass(PAST_SHORT);
		int atOnce = Race.run(4, () -> purgeable().purge(20)).stream().mapToInt(Integer::intValue).sum();
		int after = 0;
		for (int batch = purgeable().purge(20); batch > 0; batch = purgeable().purge(20)) {
			after += batch;
		}
		assertThat(atOnce + after).isEqualTo(50);
	}

}
