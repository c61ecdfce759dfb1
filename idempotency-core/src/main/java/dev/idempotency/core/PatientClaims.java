package dev.idempotency.core;

import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Semaphore;

import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.store.ClaimResult;

/**
 * Claims keys, and waits for those that are in progress.
 */
final class PatientClaims {

	private final GuardedStore store;

	private final Clock clock;

	/**
	 * For threads that wait. Those that wait without a thread need none.
	 */
	private final Semaphore waitingThreads;

	private final WaitingRoom waitingRoom = new WaitingRoom();

	private final WaitingTimer timer = new WaitingTimer();

	PatientClaims(GuardedStore store, Clock clock, int maxWaiting) {
		this.store = store;
		this.clock = clock;
		this.waitingThreads = new Semaphore(maxWaiting);
	}

	/**
	 * Claims a key. If it is in progress and the policy has patience, waits until the
	 * execution ends, patience ends, or the thread is interrupted. It does not wait if as
	 * many threads as may do so wait already.
	 */
	ClaimResult claim(Attempt attempt) {
		ClaimResult result = this.store.claim(attempt);
		if (!attempt.policy().isPatient() || !Answers.isRunning(result, attempt)) {
			return result;
		}
		if (!this.waitingThreads.tryAcquire()) {
			return result;
		}
		try {
			return await(attempt, result);
		}
		finally {
			this.waitingThreads.release();
		}
	}

	private ClaimResult await(Attempt attempt, ClaimResult result) {
		long deadline = this.clock.millis() + attempt.policy().patience().toMillis();
		try (WaitingRoom.Party party = this.waitingRoom.enter(attempt, this.store.place())) {
			while (true) {
				ClaimResult seen = party.tryToLook(() -> look(attempt, result, deadline),
						(refused) -> !Answers.isRunning(refused, attempt));
				if (seen != null) {
					return seen;
				}
				boolean interrupted = !party.await(deadline - this.clock.millis());
				ClaimResult.Refused found = party.found();
				if (found != null) {
					// Each replay counts
					return (attempt.policy().maxReplays() > 0) ? claimAgain(attempt, found) : found;
				}
				if (interrupted || deadline <= this.clock.millis()) {
					return result;
				}
			}
		}
	}

	private ClaimResult look(Attempt attempt, ClaimResult known, long deadline) {
		ClaimResult result = known;
		try (WakeUps wakeUps = new WakeUps(this.store, attempt.key())) {
			while (true) {
				// Immediately the first time: changes before the subscription were not
				// notified
				result = claimAgain(attempt, result);
				Duration left = Duration.ofMillis(deadline - this.clock.millis());
				if (!Answers.isRunning(result, attempt) || left.isNegative() || left.isZero()
						|| !wakeUps.sleepAtMost(left)) {
					return result;
				}
			}
		}
	}

	/**
	 * A key that was in progress counts as in progress while the store fails: the wait
	 * continues, and the attempt does not run, whatever the settings say about a store
	 * that fails.
	 */
	private ClaimResult claimAgain(Attempt attempt, ClaimResult known) {
		try {
			return this.store.claim(attempt);
		}
		catch (IdempotencyStoreException ex) {
			return known;
		}
	}

	/**
	 * The store, for attempts that wait without a thread.
	 */
	GuardedStore store() {
		return this.store;
	}

	Clock clock() {
		return this.clock;
	}

	WaitingRoom waitingRoom() {
		return this.waitingRoom;
	}

	WaitingTimer timer() {
		return this.timer;
	}

	/**
	 * The number of waiting attempts.
	 */
	long waiting() {
		return this.waitingRoom.waiting();
	}

}
