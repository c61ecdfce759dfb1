package dev.idempotency.store.memory;

import java.time.Clock;
import java.util.NavigableSet;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.ResultTooLargeException;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records of the store, limited in number and size.
 * <p>
 * Results are limited by their number and their bytes. When there are too many, expired
 * ones are dropped first, and then those nearest to the end of their ttl: a new result is
 * the most likely to be retried. The thread that completes a key does that work, a little
 * at a time and only if no other thread is doing it, so that no request waits for
 * another.
 * <p>
 * A key in progress is never evicted. It has no place in the order of ends, since nearly
 * all are completed or released long before they expire; a sweep from time to time finds
 * the rest.
 */
final class MemoryRecords {

	/**
	 * Up to this number of keys in progress, no sweep looks for expired ones.
	 */
	static final int IN_PROGRESS_UNSUSPICIOUS = 1 << 10;

	/**
	 * Rare enough to cost next to nothing, often enough that expired keys do not pile up.
	 */
	static final int CLAIMS_BETWEEN_SWEEPS = 1 << 13;

	/**
	 * More than arrive in the same time, and few enough for one request.
	 */
	private static final int DROPPED_AT_ONCE = 16;

	private static final Logger logger = LoggerFactory.getLogger(MemoryRecords.class);

	private final ConcurrentMap<IdempotencyKey, MemoryRecord> records = new ConcurrentHashMap<>();

	/**
	 * The results, with the first to expire first. One that was extended is filed anew
	 * when its turn has come.
	 */
	private final NavigableSet<MemoryRecord> ends = new ConcurrentSkipListSet<>(
			(one, other) -> (one.filedUnder != other.filedUnder) ? Long.compare(one.filedUnder, other.filedUnder)
					: Long.compare(one.number, other.number));

	private final MemoryLimits limits;

	private final Clock clock;

	private final EvictionListener evictionListener;

	private final AtomicLong inProgress = new AtomicLong();

	private final AtomicLong results = new AtomicLong();

	private final AtomicLong bytes = new AtomicLong();

	private final AtomicLong completions = new AtomicLong();

	private final AtomicLong claims = new AtomicLong();

	private final AtomicLong nextSweep = new AtomicLong(CLAIMS_BETWEEN_SWEEPS);

	/**
	 * Held by the thread that drops results. Others need not wait, since that thread
	 * looks again when it is done.
	 */
	private final ReentrantLock dropping = new ReentrantLock();

	private final AtomicBoolean evictionLogged = new AtomicBoolean();

	MemoryRecords(MemoryLimits limits, Clock clock, EvictionListener evictionListener) {
		this.limits = limits;
		this.clock = clock;
		this.evictionListener = evictionListener;
	}

	@Nullable MemoryRecord get(IdempotencyKey key) {
		return this.records.get(key);
	}

	/**
	 * A unique number for a claim.
	 */
	long nextClaim() {
		return this.claims.incrementAndGet();
	}

	/**
	 * Adds a record of a key in progress, unless the key has one.
	 * @return the existing record, expired or not; {@code null} if it was added
	 */
	@Nullable MemoryRecord addIfAbsent(MemoryRecord record) {
		MemoryRecord there = this.records.putIfAbsent(record.key(), record);
		if (there == null) {
			this.inProgress.incrementAndGet();
			sweepNowAndThen();
		}
		return there;
	}

	/**
	 * Calls the action for each record that has not expired.
	 */
	void forEach(Consumer<MemoryRecord> action) {
		long now = this.clock.millis();
		this.records.values().forEach((record) -> {
			if (!record.isOver(now)) {
				action.accept(record);
			}
		});
	}

	/**
	 * Removes a record that has expired or is gone.
	 */
	void dropIfOver(MemoryRecord record, long now) {
		if (record.vanishIfItEndsBy(now)) {
			dropped(record);
		}
		else if (record.isGone()) {
			// The thread that marked it is about to do the same
			this.records.remove(record.key(), record);
		}
	}

	/**
	 * Removes a record in any state. One that had expired does not count as forgotten.
	 */
	boolean forget(MemoryRecord record) {
		boolean over = record.isOver(this.clock.millis());
		boolean vanished = record.vanishIfItEndsBy(Long.MAX_VALUE);
		if (vanished) {
			dropped(record);
		}
		return vanished && !over;
	}

	/**
	 * Removes a record that is gone from the map.
	 */
	void dropped(MemoryRecord record) {
		this.records.remove(record.key(), record);
		if (record.isCompleted()) {
			this.results.decrementAndGet();
			this.bytes.addAndGet(-record.bytes());
			this.ends.remove(record);
		}
		else {
			this.inProgress.decrementAndGet();
		}
	}

	void requireRoomFor(IdempotencyKey key, StoredResult result) {
		long needed = MemoryRecord.bytes(key, result);
		if (needed > this.limits.maxBytes()) {
			throw new ResultTooLargeException(
					"The result takes %d bytes, more than the whole store has: raise its max-size (now %d bytes)"
						.formatted(needed, this.limits.maxBytes()));
		}
	}

	/**
	 * A key in progress was completed.
	 */
	void completed(MemoryRecord record, long now) {
		this.inProgress.decrementAndGet();
		this.results.incrementAndGet();
		this.bytes.addAndGet(record.bytes());
		record.number = this.completions.incrementAndGet();
		file(record);
		boolean more = true;
		while (more && toDrop(now) != null && this.dropping.tryLock()) {
			try {
				more = dropSome(now);
			}
			finally {
				this.dropping.unlock();
			}
		}
	}

	private void file(MemoryRecord record) {
		record.filedUnder = record.expires();
		this.ends.add(record);
		if (record.isGone()) {
			// The thread that marked it may have looked for it before
			this.ends.remove(record);
		}
	}

	private boolean isFull() {
		return this.results.get() > this.limits.maxEntries() || this.bytes.get() > this.limits.maxBytes();
	}

	/**
	 * The first result to expire, if it has or if there are too many.
	 */
	private @Nullable MemoryRecord toDrop(long now) {
		try {
			MemoryRecord first = this.ends.first();
			return (first.filedUnder <= now || isFull()) ? first : null;
		}
		catch (NoSuchElementException ex) {
			// Rare: another thread has just dropped what this one has filed
			return null;
		}
	}

	/**
	 * Drops expired results, and, while there are too many, the next to expire.
	 * @return whether to look again
	 */
	private boolean dropSome(long now) {
		for (int i = 0; i < DROPPED_AT_ONCE; i++) {
			MemoryRecord record = toDrop(now);
			if (record == null) {
				return false;
			}
			if (record.vanishIfItEndsBy(record.filedUnder)) {
				dropped(record);
				if (!record.isOver(now)) {
					evicted(record.key());
				}
			}
			else if (this.ends.remove(record)) {
				file(record);
			}
		}
		return isFull();
	}

	private void evicted(IdempotencyKey key) {
		if (this.evictionLogged.compareAndSet(false, true)) {
			logger.warn(
					"The in-memory idempotency store is full and evicts results before their ttl expires: "
							+ "their keys could run again. Raise its max-entries (now {}) or its max-size "
							+ "(now {} bytes), lower the ttl, or use a shared store. " + "This is logged once.",
					this.limits.maxEntries(), this.limits.maxBytes());
		}
		try {
			this.evictionListener.evicted(key);
		}
		catch (RuntimeException ex) {
			logger.warn("The eviction listener failed", ex);
		}
	}

	/**
	 * Looks for expired keys in progress, if there may be many. On average, it looks at
	 * no more than one record for each claim.
	 */
	private void sweepNowAndThen() {
		long number = this.claims.get();
		long next = this.nextSweep.get();
		if (number >= next
				&& this.nextSweep.compareAndSet(next,
						number + Math.max(CLAIMS_BETWEEN_SWEEPS, this.results.get() + this.inProgress.get()))
				&& this.inProgress.get() > IN_PROGRESS_UNSUSPICIOUS) {
			long now = this.clock.millis();
			this.records.values().forEach((record) -> {
				if (!record.isCompleted() && record.isOver(now)) {
					dropIfOver(record, now);
				}
			});
		}
	}

	/**
	 * The number of records, including expired ones that are still there.
	 */
	int size() {
		return this.records.size();
	}

	/**
	 * The number of results that are filed under their ends.
	 */
	int filed() {
		return this.ends.size();
	}

}
