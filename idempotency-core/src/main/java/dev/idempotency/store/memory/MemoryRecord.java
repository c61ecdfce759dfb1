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
 * The record of a key, from its claim until it expires. It changes only under its own
 * lock. A result is read without the lock: once it is set, the record does not change any
 * more, except that replays are counted and may extend its ttl.
 * <p>
 * A record that is {@linkplain #isGone() gone} leaves the map for good: a thread that
 * still has it looks the key up again. All times are in milliseconds of the store's
 * clock.
 */
final class MemoryRecord {

	/**
	 * The bytes of a record beside its texts and its result: objects, references and an
	 * entry in the map.
	 */
	static final int OVERHEAD = 400;

	private static final UUID NOBODY = new UUID(0, 0);

	/**
	 * The owner of a record whose last attempt has reported that its outcome is unknown.
	 */
	private static final UUID REPORTED = new UUID(0, 1);

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
	 * The end under which it is filed. Changed only while it is not.
	 */
	long filedUnder;

	/**
	 * Tells apart those with the same end.
	 */
	long number;

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
	 * The first moment at which it has expired.
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
	 * Refuses a claim that only reads, if there is a result.
	 * @return {@code null} if there is none, or the claim does more than read
	 */
	ClaimResult.@Nullable Refused tryToRead(ClaimTerms terms, long now) {
		StoredResult known = this.result;
		return (known != null && terms.onReplay() == OnReplay.READ && !isOver(now)) ? refused(known, this.replays)
				: null;
	}

	/**
	 * Grants or refuses a claim.
	 * @return {@code null} if the record has expired or is gone
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

	// Verbs of the owner

	private boolean isHeldBy(UUID claimant, long now) {
		return !this.gone && this.result == null && !isOver(now) && this.owner.equals(claimant);
	}

	synchronized boolean renew(UUID claimant, Duration lease, long now) {
		if (!isHeldBy(claimant, now)) {
			return false;
		}
		this.leaseEnds = now + lease.toMillis();
		// Work that outlives the ttl must keep its record while it runs
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
		// Last: a reader that sees it sees the other fields
		this.result = stored;
		return true;
	}

	/**
	 * Releases the key. After attempt 1 the record is gone.
	 */
	synchronized boolean release(UUID claimant, long now) {
		boolean held = endLease(claimant, NOBODY, now);
		this.gone |= held && this.attempt == 1;
		return held;
	}

	/**
	 * Leaves the record to the next attempt.
	 */
	synchronized boolean abandon(UUID claimant, long now) {
		return endLease(claimant, REPORTED, now);
	}

	/**
	 * A claim whose lease has ended can do nothing more.
	 */
	private boolean endLease(UUID claimant, UUID next, long now) {
		boolean held = isHeldBy(claimant, now);
		if (held) {
			this.owner = next;
			this.leaseEnds = now;
		}
		return held;
	}

	/**
	 * Marks the record as gone, if the claim holds it.
	 */
	synchronized boolean vanishIfHeld(UUID claimant, long now) {
		if (!isHeldBy(claimant, now)) {
			return false;
		}
		this.gone = true;
		return true;
	}

	/**
	 * Marks the record as gone, if it expires no later than a moment.
	 * @return whether this call has marked it
	 */
	synchronized boolean vanishIfItEndsBy(long moment) {
		boolean vanishes = !this.gone && this.expires <= moment;
		this.gone |= vanishes;
		return vanishes;
	}

	// Inspection

	synchronized RecordState state(long now) {
		if (this.result != null) {
			return RecordState.COMPLETED;
		}
		return (this.leaseEnds > now) ? RecordState.IN_PROGRESS
				: this.owner.equals(REPORTED) ? RecordState.REPORTED_UNKNOWN : RecordState.ABANDONED;
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
	 * The approximate bytes of its result; zero while there is none.
	 */
	long bytes() {
		StoredResult known = this.result;
		return (known != null) ? bytes(this.key, known) : 0;
	}

	/**
	 * The approximate bytes of a result. The operation and the namespace are not counted:
	 * many keys share them.
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
