package dev.idempotency.core;

import java.util.Optional;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.RecordState;
import dev.idempotency.ResultTooLargeException;
import dev.idempotency.Settlement;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.StoredResult;

/**
 * Settles abandoned keys.
 * <p>
 * To settle a key is to take it over, as a further attempt would, and to complete or
 * forget it under that claim. So there is one winner. An attempt that took the key over
 * before keeps it, a later one finds it settled, and an owner that had only stalled is
 * superseded.
 */
final class Settling {

	private final GuardedStore store;

	private final Listeners listeners;

	Settling(GuardedStore store, Listeners listeners) {
		this.store = store;
		this.listeners = listeners;
	}

	Settlement settle(IdempotencyKey key, OperationPolicy policy, Conclusion conclusion) {
		Optional<Inspection> found = this.store.find(key);
		if (found.isEmpty()) {
			return Settlement.NOT_FOUND;
		}
		RecordState state = found.get().status().state();
		if (state != RecordState.ABANDONED) {
			return refusal(state == RecordState.COMPLETED);
		}
		ClaimResult answer = this.store.claim(takeover(key, found.get().fingerprint(), policy));
		if (answer instanceof ClaimResult.Refused refused) {
			return refusal(refused.record() instanceof IdempotencyRecord.Completed);
		}
		Claim claim = ((ClaimResult.Granted) answer).claim();
		if (claim.attempt() == 1) {
			// Forgotten between find and claim
			this.store.release(claim);
			return Settlement.NOT_FOUND;
		}
		if (!conclude(claim, conclusion, policy)) {
			return Settlement.IN_PROGRESS;
		}
		this.listeners.publish(new IdempotencyEvent.Settled(key.scope().operation(), RecordId.of(key), conclusion));
		return Settlement.SETTLED;
	}

	private static Settlement refusal(boolean completed) {
		return completed ? Settlement.COMPLETED : Settlement.IN_PROGRESS;
	}

	private Attempt takeover(IdempotencyKey key, Fingerprint fingerprint, OperationPolicy policy) {
		return new Attempt(key, fingerprint, OperationPolicy.of(policy.ttl(), policy.lease()))
			.in(this.listeners.currentTrace());
	}

	private boolean conclude(Claim claim, Conclusion conclusion, OperationPolicy policy) {
		if (conclusion instanceof Conclusion.NotDone) {
			return this.store.forget(claim);
		}
		StoredResult given = ((Conclusion.Done) conclusion).result();
		try {
			return this.store.complete(claim, given.isTombstone() ? given : this.store.pack(claim.key(), given),
					policy.lease());
		}
		catch (ResultTooLargeException ex) {
			// Leaves the key abandoned
			this.store.release(claim);
			throw ex;
		}
	}

}
