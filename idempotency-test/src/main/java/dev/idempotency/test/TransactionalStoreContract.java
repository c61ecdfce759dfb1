package dev.idempotency.test;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import org.junit.jupiter.api.Test;

import static dev.idempotency.test.Scene.LONG;
import static dev.idempotency.test.Scene.RESULT;
import static dev.idempotency.test.Scene.TTL;
import static dev.idempotency.test.Scene.completed;
import static dev.idempotency.test.Scene.granted;
import static dev.idempotency.test.Scene.inProgress;
import static dev.idempotency.test.Scene.newKey;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of a store on a resource with transactions of the caller: the five verbs
 * take effect at once, even if the caller's transaction is rolled back.
 */
public interface TransactionalStoreContract extends StoreUnderTest {

	/**
	 * The caller's transaction.
	 */
	CallerTransaction transaction();

	@Test
	default void keepsAClaimWhenTheCallerRollsBack() {
		IdempotencyKey key = newKey();
		transaction().rollBackAfter(() -> {
			granted(store(), key);
			Race.run(1, () -> inProgress(store(), key));
		});
		inProgress(store(), key);
	}

	@Test
	default void keepsACompletionWhenTheCallerRollsBack() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		transaction().rollBackAfter(() -> {
			assertThat(store().renew(claim, LONG)).isTrue();
			assertThat(store().complete(claim, RESULT, TTL)).isTrue();
		});
		assertThat(completed(store(), key).result()).isEqualTo(RESULT);
	}

	@Test
	default void keepsAReleaseWhenTheCallerRollsBack() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		transaction().rollBackAfter(() -> assertThat(store().release(claim)).isTrue());
		assertThat(granted(store(), key).attempt()).isEqualTo(1);
	}

	@Test
	default void keepsAKeyAbandonedWhenTheCallerRollsBack() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		transaction().rollBackAfter(() -> assertThat(store().abandon(claim)).isTrue());
		assertThat(granted(store(), key).attempt()).isEqualTo(2);
	}

	@Test
	default void leavesTheCallersTransactionUsableAfterARefusal() {
		IdempotencyKey key = newKey();
		granted(store(), key);
		IdempotencyKey next = newKey();
		transaction().commitAfter(() -> {
			inProgress(store(), key);
			granted(store(), next);
		});
		inProgress(store(), next);
	}

}
