package dev.idempotency.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.JoiningStore;
import org.junit.jupiter.api.Test;

import static dev.idempotency.test.Scene.LONG;
import static dev.idempotency.test.Scene.PAST_SHORT;
import static dev.idempotency.test.Scene.RESULT;
import static dev.idempotency.test.Scene.SHORT;
import static dev.idempotency.test.Scene.TTL;
import static dev.idempotency.test.Scene.abandoned;
import static dev.idempotency.test.Scene.claim;
import static dev.idempotency.test.Scene.completed;
import static dev.idempotency.test.Scene.granted;
import static dev.idempotency.test.Scene.inProgress;
import static dev.idempotency.test.Scene.newKey;
import static dev.idempotency.test.Scene.result;
import static dev.idempotency.test.Scene.terms;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The contract of a store that can complete a key inside the caller's transaction.
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
	default void refusesToCompleteInACallersTransactionThatIsNotThere() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		assertThatIllegalStateException().isThrownBy(() -> joining().completeInCallersTransaction(claim, RESULT, TTL));
		inProgress(store(), key);
	}

	// Regardless of the snapshot of the transaction

	/**
	 * Both ways to complete a key inside a transaction.
	 */
	private List<Predicate<Claim>> ways() {
		return List.of((claim) -> joining().completeInTransaction(claim, RESULT, TTL),
				(claim) -> joining().completeInCallersTransaction(claim, RESULT, TTL));
	}

	@Test
	default void completesInATransactionThatIsOlderThanTheClaimAndItsRenewal() {
		for (Predicate<Claim> complete : ways()) {
			IdempotencyKey key = newKey();
			transaction().commitAfter(() -> {
				Claim claim = granted(store(), key);
				assertThat(Race.run(1, () -> otherInstance().renew(claim, LONG))).containsOnly(true);
				assertThat(complete.test(claim)).isTrue();
			});
			assertThat(completed(store(), key).result()).isEqualTo(RESULT);
		}
	}

	@Test
	default void refusesToCompleteInATransactionThatIsOlderThanTheTakeover() {
		for (Predicate<Claim> complete : ways()) {
			IdempotencyKey key = newKey();
			List<Claim> successors = new ArrayList<>();
			transaction().rollBackAfter(() -> {
				Claim late = abandoned(this, key);
				successors.addAll(Race.run(1, () -> granted(otherInstance(), key)));
				assertThat(Race.run(1, () -> otherInstance().abandon(late))).containsOnly(false);
				assertThat(complete.test(late)).isFalse();
			});
			assertThat(store().complete(successors.get(0), RESULT, TTL)).isTrue();
		}
	}

	// While the caller's transaction continues

	@Test
	default void isRenewedWhileTheCallersTransactionGoesOn() {
		IdempotencyKey key = newKey();
		transaction().commitAfter(() -> {
			Claim claim = granted(store(), key, terms(SHORT));
			assertThat(joining().completeInCallersTransaction(claim, RESULT, TTL)).isTrue();
			assertThat(Race.run(1, () -> otherInstance().renew(claim, LONG))).containsOnly(true);
			time().pass(PAST_SHORT);
			FutureTask<ClaimResult> other = new FutureTask<>(() -> claim(otherInstance(), key));
			letMeet(other, patience());
			assertThat(other).as("a claim that need not wait").isDone();
			inProgress(resultOf(other));
		});
		assertThat(completed(store(), key).result()).isEqualTo(RESULT);
	}

	@Test
	default void completesNothingInWhatTheCallerUndoes() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		transaction().commitAfter(() -> transaction()
			.undoAfter(() -> assertThat(joining().completeInCallersTransaction(claim, RESULT, TTL)).isTrue()));
		inProgress(store(), key);
		assertThat(joining().afterTransaction(claim)).isFalse();
		assertThat(granted(store(), key).attempt()).isEqualTo(1);
	}

	@Test
	default void completesAgainWhatTheCallerHasUndone() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		transaction().commitAfter(() -> {
			transaction().undoAfter(() -> joining().completeInCallersTransaction(claim, result("undone"), TTL));
			assertThat(joining().completeInCallersTransaction(claim, RESULT, TTL)).isTrue();
		});
		assertThat(completed(store(), key).result()).isEqualTo(RESULT);
	}

	@Test
	default void replaysToATakeoverThatMeetsATransactionWhichIsThenCommitted() {
		IdempotencyKey key = newKey();
		FutureTask<ClaimResult> takeover = new FutureTask<>(() -> claim(otherInstance(), key));
		transaction().commitAfter(() -> {
			Claim late = abandoned(this, key);
			assertThat(joining().completeInCallersTransaction(late, RESULT, TTL)).isTrue();
			letMeet(takeover, SHORT.dividedBy(3));
		});
		assertThat(completed(resultOf(takeover)).result()).isEqualTo(RESULT);
	}

	@Test
	default void grantsATakeoverThatMeetsATransactionWhichIsThenRolledBack() {
		IdempotencyKey key = newKey();
		FutureTask<ClaimResult> takeover = new FutureTask<>(() -> claim(otherInstance(), key));
		transaction().rollBackAfter(() -> {
			Claim late = abandoned(this, key);
			assertThat(joining().completeInCallersTransaction(late, RESULT, TTL)).isTrue();
			letMeet(takeover, SHORT.dividedBy(3));
		});
		assertThat(granted(resultOf(takeover)).attempt()).isEqualTo(2);
	}

	/**
	 * Starts a claim and gives it some time, in which it may have to wait.
	 */
	private static void letMeet(FutureTask<ClaimResult> claim, Duration time) {
		Thread thread = new Thread(claim, "claim");
		thread.setDaemon(true);
		thread.start();
		try {
			claim.get(time.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			// It waits
		}
		catch (ExecutionException ex) {
			throw new AssertionError("The claim failed", ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private ClaimResult resultOf(FutureTask<ClaimResult> claim) {
		return Race.run(1, () -> claim.get(patience().toMillis(), TimeUnit.MILLISECONDS)).get(0);
	}

	// Held by a transaction that completes nothing

	@Test
	default void releasesAHeldClaimAfterTheTransaction() {
		List<Consumer<Runnable>> endings = List.of(transaction()::commitAfter, transaction()::rollBackAfter);
		for (Consumer<Runnable> ending : endings) {
			IdempotencyKey key = newKey();
			Claim claim = granted(store(), key);
			ending.accept(() -> assertThat(joining().holdInTransaction(claim, LONG)).isTrue());
			inProgress(otherInstance(), key);
			assertThat(joining().afterTransaction(claim)).isFalse();
			assertThat(granted(store(), key).attempt()).isEqualTo(1);
		}
	}

	@Test
	default void refusesToHoldWhatAnotherAttemptHasTakenOver() {
		IdempotencyKey key = newKey();
		List<Claim> successors = new ArrayList<>();
		transaction().rollBackAfter(() -> {
			Claim late = abandoned(this, key);
			successors.addAll(Race.run(1, () -> granted(otherInstance(), key)));
			assertThat(joining().holdInTransaction(late, LONG)).isFalse();
		});
		assertThat(store().complete(successors.get(0), RESULT, TTL)).isTrue();
	}

	/**
	 * Afterwards, the attempt may take the key over: nothing was completed.
	 */
	@Test
	default void grantsNoTakeoverWhileATransactionHoldsTheClaim() {
		IdempotencyKey key = newKey();
		FutureTask<ClaimResult> takeover = new FutureTask<>(() -> claim(otherInstance(), key));
		transaction().commitAfter(() -> {
			Claim late = abandoned(this, key);
			assertThat(joining().holdInTransaction(late, LONG)).isTrue();
			letMeet(takeover, SHORT.dividedBy(3));
			if (takeover.isDone()) {
				inProgress(resultOf(takeover));
			}
		});
		ClaimResult afterwards = resultOf(takeover);
		if (afterwards instanceof ClaimResult.Refused) {
			inProgress(afterwards);
		}
	}

	// After the transaction

	@Test
	default void knowsThatTheTransactionWasCommitted() {
		for (Predicate<Claim> complete : ways()) {
			IdempotencyKey key = newKey();
			Claim claim = granted(store(), key);
			transaction().commitAfter(() -> assertThat(complete.test(claim)).isTrue());
			assertThat(joining().afterTransaction(claim)).isTrue();
			assertThat(completed(store(), key).result()).isEqualTo(RESULT);
			assertThat(joining().afterTransaction(claim)).isTrue();
		}
	}

	@Test
	default void releasesTheClaimOfATransactionThatWasRolledBack() {
		for (Predicate<Claim> complete : ways()) {
			IdempotencyKey key = newKey();
			Claim claim = granted(store(), key);
			transaction().rollBackAfter(() -> assertThat(complete.test(claim)).isTrue());
			assertThat(joining().afterTransaction(claim)).isFalse();
			Claim next = granted(store(), key);
			assertThat(next.attempt()).isEqualTo(1);
			assertThat(store().complete(next, RESULT, TTL)).isTrue();
		}
	}

	@Test
	default void remembersTheCrashBeforeATransactionThatWasRolledBack() {
		for (Predicate<Claim> complete : ways()) {
			IdempotencyKey key = newKey();
			abandoned(this, key);
			Claim second = granted(store(), key);
			transaction().rollBackAfter(() -> assertThat(complete.test(second)).isTrue());
			assertThat(joining().afterTransaction(second)).isFalse();
			assertThat(granted(store(), key).attempt()).isEqualTo(3);
		}
	}

	@Test
	default void knowsAfterTheTransactionThatTheClaimIsLost() {
		for (Predicate<Claim> complete : ways()) {
			IdempotencyKey key = newKey();
			Claim late = abandoned(this, key);
			Claim successor = granted(store(), key);
			transaction().rollBackAfter(() -> assertThat(complete.test(late)).isFalse());
			assertThat(joining().afterTransaction(late)).isTrue();
			assertThat(store().complete(successor, RESULT, TTL)).isTrue();
		}
	}

	/**
	 * The renewal of the lease may not know yet that the transaction is committed.
	 */
	@Test
	default void hasLostNothingByTheCallersCommit() {
		IdempotencyKey key = newKey();
		Claim claim = granted(store(), key);
		transaction().commitAfter(() -> joining().completeInCallersTransaction(claim, RESULT, TTL));
		assertThat(store().renew(claim, LONG)).isTrue();
		completed(store(), key);
		assertThat(store().renew(claim, LONG)).isTrue();
		assertThat(completed(store(), key).result()).isEqualTo(RESULT);
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
