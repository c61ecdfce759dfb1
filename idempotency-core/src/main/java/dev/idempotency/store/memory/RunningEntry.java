package dev.idempotency.store.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

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
 */
record RunningEntry(Fingerprint fingerprint, UUID owner, int attempt, Deadlines deadlines,
		@Nullable String trace) implements RememberedEntry {

	private static final UUID NOBODY = new UUID(0, 0);

	/**
	 * When the key was first claimed, when its lease ends, and when it is forgotten.
	 */
	record Deadlines(long created, long leaseEnds, long expires) {
	}

	static RunningEntry first(UUID owner, Fingerprint fingerprint, ClaimTerms terms, long now) {
		return new RunningEntry(fingerprint, owner, 1, claimedAt(now, now, terms), terms.trace());
	}

	RunningEntry takenOver(UUID owner, ClaimTerms terms, long now) {
		return new RunningEntry(this.fingerprint, owner, this.attempt + 1,
				claimedAt(this.deadlines.created, now, terms), terms.trace());
	}

	private static Deadlines claimedAt(long created, long now, ClaimTerms terms) {
		return new Deadlines(created, now + terms.lease().toMillis(), now + terms.ttl().toMillis());
	}

	RunningEntry renewed(Duration lease, long now) {
		long leaseEnds = now + lease.toMillis();
		// Work that outlives the ttl must not be forgotten while it runs
		long expires = Math.max(this.deadlines.expires, leaseEnds);
		return new RunningEntry(this.fingerprint, this.owner, this.attempt,
				new Deadlines(this.deadlines.created, leaseEnds, expires), this.trace);
	}

	/**
	 * What is left of this entry once its executor gave the key back.
	 */
	@Nullable RunningEntry released(long now) {
		if (this.attempt == 1) {
			return null;
		}
		// Nobody's: a claim that was given back can do nothing more
		return new RunningEntry(this.fingerprint, NOBODY, this.attempt,
				new Deadlines(this.deadlines.created, now, this.deadlines.expires), this.trace);
	}

	CompletedEntry completed(StoredResult result, Duration ttl, long now) {
		return new CompletedEntry(this.fingerprint, this.attempt, result,
				new CompletedEntry.Life(this.deadlines.created, now, now + ttl.toMillis()), this.trace);
	}

	boolean isOwnedBy(UUID owner) {
		return this.owner.equals(owner);
	}

	boolean mayBeTakenOver(Fingerprint fingerprint, ClaimTerms terms, long now) {
		return this.deadlines.leaseEnds <= now && terms.onCrash() == OnCrash.RETRY
				&& this.fingerprint.equals(fingerprint);
	}

	InProgress toRecord(long now) {
		return new InProgress(this.fingerprint, this.attempt, Duration.ofMillis(now - this.deadlines.created),
				Duration.ofMillis(this.deadlines.leaseEnds - now), this.trace);
	}

	@Override
	public RecordState state(long now) {
		return (this.deadlines.leaseEnds > now) ? RecordState.IN_PROGRESS : RecordState.ABANDONED;
	}

	@Override
	public RecordSummary summarize(IdempotencyKey key, long now) {
		KeyStatus status = new KeyStatus(state(now), this.attempt, Instant.ofEpochMilli(this.deadlines.created), null,
				Instant.ofEpochMilli(this.deadlines.expires));
		return new RecordSummary(RecordId.of(key), KeyDescription.of(key), status,
				Duration.ofMillis(this.deadlines.leaseEnds - now), 0, 0, this.trace);
	}

	@Override
	public @Nullable StoredResult result() {
		return null;
	}

	@Override
	public long created() {
		return this.deadlines.created;
	}

	/**
	 * The first moment at which it is over, in milliseconds of the store's clock.
	 */
	long expires() {
		return this.deadlines.expires;
	}

}
