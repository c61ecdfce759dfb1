package dev.idempotency.test;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.StoredResult;

/**
 * Keeps the trace of each claim for a store that does not.
 */
public final class TraceKeepingStore implements IdempotencyStore {

	private final IdempotencyStore store;

	private final Map<IdempotencyKey, String> traces = new ConcurrentHashMap<>();

	/**
	 * Create a store.
	 * @param store keeps everything else
	 */
	public TraceKeepingStore(IdempotencyStore store) {
		this.store = store;
	}

	@Override
	public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
		ClaimResult result = this.store.claim(key, fingerprint, terms);
		if (result instanceof ClaimResult.Refused refused) {
			return new ClaimResult.Refused(traced(key, refused.record()));
		}
		if (terms.trace() != null) {
			this.traces.put(key, terms.trace());
		}
		return result;
	}

	private IdempotencyRecord traced(IdempotencyKey key, IdempotencyRecord record) {
		if (record instanceof IdempotencyRecord.Completed completed) {
			return new IdempotencyRecord.Completed(completed.fingerprint(), completed.attempt(), completed.result(),
					completed.replays(), this.traces.get(key));
		}
		return new IdempotencyRecord.InProgress(record.fingerprint(), record.attempt(),
				((IdempotencyRecord.InProgress) record).leaseLeft(), this.traces.get(key));
	}

	@Override
	public boolean renew(Claim claim, Duration lease) {
		return this.store.renew(claim, lease);
	}

	@Override
	public boolean complete(Claim claim, StoredResult result, Duration ttl) {
		return this.store.complete(claim, result, ttl);
	}

	@Override
	public boolean release(Claim claim) {
		return this.store.release(claim);
	}

}
