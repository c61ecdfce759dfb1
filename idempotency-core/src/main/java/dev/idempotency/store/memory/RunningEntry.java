package dev.idempotency.store.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.KeyStatus;
import dev.idempotency.OnCrash;
import dev.idempotency.RecordState;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord.InProgress;
import dev.idempotency.store.KeyDescription;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * A key in progress; immutable, and all its times in milliseconds of the store's clock.
 *
 * @param expires the first moment at which it is over
 */
record RunningEntry(Fingerprint fingerprint, UUID owner, int attempt, long created, long leaseEnds, long expires,
		@Nullable String trace) implements RememberedEntry {

	private static final UUID NOBODY = new UUID(0, 0);

	static RunningEntry first(UUID owner, Fingerprint fingerprint, ClaimTerms terms, long now) {
		return new RunningEntry(fingerprint, owner, 1, now, now + terms.lease().toMillis(),
				now + terms.ttl().toMillis(), terms.trace());
	}

	RunningEntry takenOver(UUID owner, ClaimTerms terms, long now) {
		return new RunningEntry(this.fingerprint, owner, this.attempt + 1, this.created, now + terms.lease().toMillis(),
				now + terms.ttl().toMillis(), terms.trace());
	}

	RunningEntry renewed(Duration lease, long now) {
		long newEnd = now + lease.toMillis();
		// Work that outlives the ttl must not be forgotten while it runs
		return new RunningEntry(this.fingerprint, this.owner, this.attempt, this.created, newEnd,
				Math.max(this.expires, newEnd), this.trace);
	}

	/**
	 * What is left of this entry once its executor gave the key back.
	 */
	@Nullable RunningEntry released(long now) {
		if (this.attempt == 1) {
			return null;
		}
		// Nobody's: a claim that was given back can do nothing more
		return new RunningEntry(this.fingerprint, NOBODY, this.attempt, this.created, now, this.expires, this.trace);
	}

	CompletedEntry completed(StoredResult result, Duration atLeast, long now) {
		return new CompletedEntry(this.fingerprint, this.attempt, result, this.created, now,
				Math.max(this.expires, now + atLeast.toMillis()), this.trace, new AtomicLong());
	}

	boolean isOwnedBy(UUID owner) {
		return this.owner.equals(owner);
	}

	boolean mayBeTakenOver(Fingerprint fingerprint, ClaimTerms terms, long now) {
		return this.leaseEnds <= now && terms.onCrash() == OnCrash.RETRY && this.fingerprint.equals(fingerprint);
	}

	InProgress toRecord(long now) {
		return new InProgress(this.fingerprint, this.attempt, Duration.ofMillis(now - this.created),
				Duration.ofMillis(this.leaseEnds - now), this.trace);
	}

	@Override
	public RecordState state(long now) {
		return (this.leaseEnds > now) ? RecordState.IN_PROGRESS : RecordState.ABANDONED;
	}

	@Override
	public RecordSummary summarize(IdempotencyKey key, long now) {
		KeyStatus status = new KeyStatus(state(now), this.attempt, Instant.ofEpochMilli(this.created), null,
				Instant.ofEpochMilli(this.expires));
		return new RecordSummary(RecordId.of(key), KeyDescription.of(key), status,
				Duration.ofMillis(this.leaseEnds - now), 0, 0, this.trace);
	}

	@Override
	public @Nullable StoredResult result() {
		return null;
	}

}
