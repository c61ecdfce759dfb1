package dev.idempotency.store.memory;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.KeyStatus;
import dev.idempotency.OnCrash;
import dev.idempotency.RecordState;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.KeyDescription;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered of a key, in one object from its claim to its end. It changes only
 * under its own lock. A result is read without: once it is there, what it says of itself
 * stays as it is, but for its end, which may move away.
 * <p>
 * A record that is {@linkplain #isGone() gone} is in the map no more, and never comes
 * back: whoever still meets it looks again. All times are in milliseconds of the store's
 * clock.
 */
final class MemoryRecord {

	/**
	 * What a record takes beside its texts and bytes: objects, references and a place in
	 * the map.
	 */
	static final int OVERHEAD = 400;

	private static final UUID NOBODY = new UUID(0, 0);

	private static final AtomicLongFieldUpdater<MemoryRecord> REPLAYS = AtomicLongFieldUpdater
		.newUpdater(MemoryRecord.class, "replays");

	private final IdempotencyKey key;

	private final Fingerprint fingerprint;

	private final long created;

	private UUID owner;

	private int attempt = 1;

	private boolean gone;

	private long leaseEnds;

	private volatile long expires;

	private long completed;

	private @Nullable String trace;

	private volatile @Nullable StoredResult result;

	private volatile long replays;

	/**
	 * Where it stands in the order of ends, which is for that alone.
	 */
	@Nullable MemoryRecord next;

	/**
	 * Under which end it stands there.
	 */
	long filedUnder;

	MemoryRecord(IdempotencyKey key, Fingerprint fingerprint, UUID owner, ClaimTerms terms, long now) {
		this.key = key;
		this.fingerprint = fingerprint;
		this.created = now;
		this.owner = owner;
		this.leaseEnds = now + terms.lease().toMillis();
		this.expires = now + terms.ttl().toMillis();
		this.trace = terms.trace();
	}

	IdempotencyKey key() {
		return this.key;
	}

	long created() {
		return this.created;
	}

	/**
	 * The first moment at which it is over.
	 */
	long expires() {
		return this.expires;
	}

	boolean isOver(long now) {
		return this.expires <= now;
	}

	boolean isCompleted() {
		return this.result != null;
	}

	synchronized boolean isGone() {
		return this.gone;
	}

	// Claims

	/**
	 * Answers a claim that only reads, if there is a result.
	 * @return {@code null} if there is none, or more to do
	 */
	ClaimResult.@Nullable Refused tryToRead(ClaimTerms terms, long now) {
		StoredResult known = this.result;
		return (known != null && terms.onReplay() == OnReplay.READ && !isOver(now)) ? refused(known, this.replays)
				: null;
	}

	/**
	 * Answers a claim.
	 * @return {@code null} if the record is over or gone
	 */
	synchronized @Nullable ClaimResult claim(UUID claimant, Fingerprint asked, ClaimTerms terms, long now) {
		if (this.gone || isOver(now)) {
			return null;
		}
		StoredResult known = this.result;
		if (known != null) {
			return refused(known, replayed(asked, terms, now));
		}
		if (this.leaseEnds > now || terms.onCrash() != OnCrash.RETRY || !this.fingerprint.equals(asked)) {
			return new ClaimResult.Refused(new IdempotencyRecord.InProgress(this.fingerprint, this.attempt,
					Duration.ofMillis(now - this.created), Duration.ofMillis(this.leaseEnds - now), this.trace));
		}
		this.owner = claimant;
		this.attempt++;
		this.leaseEnds = now + terms.lease().toMillis();
		this.expires = now + terms.ttl().toMillis();
		this.trace = terms.trace();
		return new ClaimResult.Granted(new Claim(this.key, claimant, this.attempt));
	}

	private long replayed(Fingerprint asked, ClaimTerms terms, long now) {
		if (this.fingerprint.equals(asked)) {
			switch (terms.onReplay()) {
				case READ -> {
				}
				case COUNT -> {
					return REPLAYS.incrementAndGet(this);
				}
				case EXTEND -> this.expires = Math.max(this.expires, now + terms.ttl().toMillis());
			}
		}
		return this.replays;
	}

	private ClaimResult.Refused refused(StoredResult known, long times) {
		return new ClaimResult.Refused(
				new IdempotencyRecord.Completed(this.fingerprint, this.attempt, known, times, this.trace));
	}

	// What is done under a claim

	private boolean isHeldBy(UUID claimant, long now) {
		return !this.gone && this.result == null && !isOver(now) && this.owner.equals(claimant);
	}

	synchronized boolean renew(UUID claimant, Duration lease, long now) {
		if (!isHeldBy(claimant, now)) {
			return false;
		}
		this.leaseEnds = now + lease.toMillis();
		// Work that outlives the ttl must not be forgotten while it runs
		this.expires = Math.max(this.expires, this.leaseEnds);
		return true;
	}

	synchronized boolean complete(UUID claimant, StoredResult stored, Duration atLeast, long now) {
		if (!isHeldBy(claimant, now)) {
			return false;
		}
		this.completed = now;
		this.owner = NOBODY;
		this.expires = Math.max(this.expires, now + atLeast.toMillis());
		// Last: who sees it sees all the rest
		this.result = stored;
		return true;
	}

	/**
	 * Gives the key back. After a first attempt the record is gone.
	 */
	synchronized boolean release(UUID claimant, long now) {
		if (!isHeldBy(claimant, now)) {
			return false;
		}
		// Nobody's: a claim that was given back can do nothing more
		this.owner = NOBODY;
		this.leaseEnds = now;
		this.gone = this.attempt == 1;
		return true;
	}

	/**
	 * Lets the record be gone, if the claim holds it.
	 */
	synchronized boolean vanishIfHeld(UUID claimant, long now) {
		if (!isHeldBy(claimant, now)) {
			return false;
		}
		this.gone = true;
		return true;
	}

	/**
	 * Lets the record be gone, if it ends no later than this.
	 * @return whether it is gone through this call
	 */
	synchronized boolean vanishIfItEndsBy(long moment) {
		boolean vanishes = !this.gone && this.expires <= moment;
		this.gone |= vanishes;
		return vanishes;
	}

	// For people

	synchronized RecordState state(long now) {
		if (this.result != null) {
			return RecordState.COMPLETED;
		}
		return (this.leaseEnds > now) ? RecordState.IN_PROGRESS : RecordState.ABANDONED;
	}

	synchronized RecordSummary summarize(long now) {
		StoredResult known = this.result;
		KeyStatus status = new KeyStatus(state(now), this.attempt, Instant.ofEpochMilli(this.created),
				(known != null) ? Instant.ofEpochMilli(this.completed) : null, Instant.ofEpochMilli(this.expires));
		return new RecordSummary(RecordId.of(this.key), KeyDescription.of(this.key), status,
				(known != null) ? Duration.ZERO : Duration.ofMillis(this.leaseEnds - now), this.replays,
				(known != null) ? known.size() : 0, this.trace);
	}

	synchronized Inspection inspect(long now) {
		return new Inspection(summarize(now), this.fingerprint, this.result);
	}

	/**
	 * Roughly what its result takes; nothing while there is none.
	 */
	long bytes() {
		StoredResult known = this.result;
		return (known != null) ? bytes(this.key, known) : 0;
	}

	/**
	 * Roughly what a result takes. The operation and the namespace are not counted: they
	 * are shared by many keys.
	 */
	static long bytes(IdempotencyKey key, StoredResult result) {
		long text = key.value().length();
		if (key.scope().principal() != null) {
			text += key.scope().principal().length();
		}
		if (key.scope().tenant() != null) {
			text += key.scope().tenant().length();
		}
		return OVERHEAD + 2 * text + result.size();
	}

}
