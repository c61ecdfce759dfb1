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
 * A claim whose lease was over before its work: the key may be someone else's by now.
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
	 * Stores a late result. If nobody holds the key now (the successor gave it back, or
	 * vanished too), this result is as good as any, and storing it saves a further run;
	 * otherwise the one who holds the key decides.
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
	 * What a retry would be told. The work of the late one was undone.
	 */
	Completion superseded() {
		try {
			ClaimResult answer = this.store.claimAgain(this.claim, this.again);
			if (answer instanceof ClaimResult.Refused refused) {
				return Completion.superseded(toldBy(refused.record()));
			}
			// The successor is gone too: a retry can have the key
			this.store.release(((ClaimResult.Granted) answer).claim());
		}
		catch (IdempotencyStoreException ex) {
			// Logged and published already
		}
		return Completion.superseded(Decision.Refused.inProgress(Duration.ZERO, null));
	}

	/**
	 * The work is done and the claim is lost: what cannot be read is no reason to fail.
	 */
	private Answer toldBy(IdempotencyRecord record) {
		try {
			return Answering.answer(record, this.again, this.store);
		}
		catch (UnreadableResultException | UnsupportedFormatException ex) {
			return Decision.Refused.notReplayable(record.trace());
		}
	}

}
