package dev.idempotency.core;

import java.time.Duration;

import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.UnreadableResultException;
import dev.idempotency.UnsupportedFormatException;
import dev.idempotency.core.Decision.Answer;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.StoredResult;

/**
 * A claim whose lease expired before its work was done: another attempt may hold the key.
 */
final class LostClaim {

	private final GuardedStore store;

	private final Claim claim;

	private final Attempt again;

	LostClaim(GuardedStore store, Claim claim, Attempt attempt) {
		this.store = store;
		this.claim = claim;
		this.again = attempt.toRegainClaim();
	}

	/**
	 * Stores a late result. If no other attempt holds the key now (the successor released
	 * it, or crashed too), this result is valid, and storing it saves a further
	 * execution. Otherwise the current owner decides.
	 */
	Completion complete(StoredResult result, boolean withPayload) {
		ClaimResult answer = this.store.claimAgain(this.claim, this.again);
		if (answer instanceof ClaimResult.Refused refused) {
			return Completion.superseded(toldBy(refused.record()));
		}
		Claim regained = ((ClaimResult.Granted) answer).claim();
		Duration lease = this.again.policy().lease();
		return this.store.complete(regained, result, this.again.policy().lease()) ? Completion.stored(withPayload)
				: Completion.superseded(Decision.Refused.inProgress(RetryAfter.ofFresh(lease), null));
	}

	/**
	 * The claim has ended with a commit that failed. Either it took effect, and the
	 * result is there, or another attempt has taken the key over meanwhile.
	 */
	Completion completeIn(RuntimeException commitFailure, StoredResult result, boolean withPayload) {
		ClaimResult answer = this.store.claimAgain(this.claim, this.again);
		if (answer instanceof ClaimResult.Refused refused
				&& refused.record() instanceof IdempotencyRecord.Completed completed
				&& completed.result().equals(result)) {
			return Completion.stored(withPayload).in(commitFailure);
		}
		if (answer instanceof ClaimResult.Granted granted) {
			this.store.release(granted.claim());
			return Completion.rolledBack(commitFailure);
		}
		return Completion.superseded(toldBy(((ClaimResult.Refused) answer).record()));
	}

	/**
	 * The decision that a retry would get. The work of the late execution was undone.
	 */
	Completion superseded() {
		try {
			ClaimResult answer = this.store.claimAgain(this.claim, this.again);
			if (answer instanceof ClaimResult.Refused refused) {
				return Completion.superseded(toldBy(refused.record()));
			}
			// The successor does not hold the key any more: a retry can claim it
			this.store.release(((ClaimResult.Granted) answer).claim());
		}
		catch (IdempotencyStoreException ex) {
			// Logged and published already
		}
		return Completion.superseded(Decision.Refused.inProgress(Duration.ZERO, null));
	}

	/**
	 * The work is done and the claim is lost: a result that cannot be read is no reason
	 * to fail.
	 */
	private Answer toldBy(IdempotencyRecord record) {
		try {
			return Answers.answer(record, this.again, this.store);
		}
		catch (UnreadableResultException | UnsupportedFormatException ex) {
			return Decision.Refused.notReplayable(record.trace());
		}
	}

}
