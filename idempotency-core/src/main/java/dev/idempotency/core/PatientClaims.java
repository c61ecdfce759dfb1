package dev.idempotency.core;

import java.time.Clock;
import java.time.Duration;

import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.store.ClaimResult;

/**
 * Claims keys for those who are ready to wait for a running twin.
 */
final class PatientClaims {

	private final GuardedStore store;

	private final Clock clock;

	private final WaitingRoom waitingRoom = new WaitingRoom();

	private final WaitingTimer timer = new WaitingTimer();

	PatientClaims(GuardedStore store, Clock clock) {
		this.store = store;
		this.clock = clock;
	}

	/**
	 * Claims a key. If the same operation is running under it and the policy is patient,
	 * waits until that has ended, patience has, or the thread is interrupted.
	 */
	ClaimResult claim(Attempt attempt) {
		ClaimResult result = this.store.claim(attempt);
		if (!attempt.policy().isPatient() || !Answering.isRunning(result, attempt)) {
			return result;
		}
		long deadline = this.clock.millis() + attempt.policy().patience().toMillis();
		try (WaitingRoom.Party party = this.waitingRoom.enter(attempt, this.store.place())) {
			while (true) {
				ClaimResult known = result;
				ClaimResult seen = party.tryToLook(() -> look(attempt, known, deadline),
						(refused) -> !Answering.isRunning(refused, attempt));
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
				// At once the first time: nobody told us what happened before we listened
				result = claimAgain(attempt, result);
				Duration left = Duration.ofMillis(deadline - this.clock.millis());
				if (!Answering.isRunning(result, attempt) || left.isNegative() || left.isZero()
						|| !wakeUps.sleepAtMost(left)) {
					return result;
				}
			}
		}
	}

	/**
	 * What is known of a running twin stays known when the store fails: it is waited for
	 * on, and never joined, whatever the settings say about a store that fails.
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
	 * The store, for those who wait without a thread.
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
	 * How many wait.
	 */
	long waiting() {
		return this.waitingRoom.waiting();
	}

}
