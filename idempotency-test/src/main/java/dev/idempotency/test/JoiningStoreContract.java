package dev.idempotency.test;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import dev.idempotency.store.JoiningStore;
import org.junit.jupiter.api.Test;

import static dev.idempotency.test.Scene.RESULT;
import static dev.idempotency.test.Scene.TTL;
import static dev.idempotency.test.Scene.abandoned;
import static dev.idempotency.test.Scene.completed;
import static dev.idempotency.test.Scene.granted;
import static dev.idempotency.test.Scene.inProgress;
import static dev.idempotency.test.Scene.newKey;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What a store promises that can complete a key inside the caller's transaction.
 */
public interface JoiningStoreContract extends TransactionalStoreContract {

	private JoiningStore joining() {
		return (JoiningStore) store();
	}

	@Test
	default void completesWhenTheCallerCommits() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		transaction().commitAfter(() -> assertThat(joining().completeInTransaction(claim, RESULT, TTL)).isTrue());
		assertThat(completed(store(), key).result()).isEqualTo(RESULT);
	}

	@Test
	default void staysInProgressWhenTheCallerRollsBackAndCanBeCompletedThen() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		transaction().rollBackAfter(() -> assertThat(joining().completeInTransaction(claim, RESULT, TTL)).isTrue());
		inProgress(store(), key);
		assertThat(store().complete(claim, RESULT, TTL)).isTrue();
	}

	@Test
	default void refusesToCompleteInATransactionAfterTakeover() {
		IdempotencyKey key = newKey();
		Claim late = abandoned(this, key);
		Claim successor = granted(store(), key);
		transaction().rollBackAfter(() -> assertThat(joining().completeInTransaction(late, RESULT, TTL)).isFalse());
		assertThat(store().complete(successor, RESULT, TTL)).isTrue();
	}

	@Test
	default void refusesToCompleteInATransactionThatIsNotThere() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		assertThatIllegalStateException().isThrownBy(() -> joining().completeInTransaction(claim, RESULT, TTL));
		inProgress(store(), key);
	}

	@Test
	default void seesTheCallersTransaction() {
		assertThat(joining().isInTransaction()).isFalse();
		transaction().commitAfter(() -> {
			assertThat(joining().isInTransaction()).isTrue();
			assertThat(Race.run(1, () -> joining().isInTransaction())).containsOnly(false);
		});
		assertThat(joining().isInTransaction()).isFalse();
	}

}
