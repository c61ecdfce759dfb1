package dev.idempotency.store.memory;

import java.time.Clock;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
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
 * The records, and how many of them there may be.
 * <p>
 * Results are bounded by their number and their bytes. When there are too many, those
 * nearest to the end of their ttl go first: a new result is the one whose retry is still
 * to come. What is over goes before. Whoever completes a key does that work, a little at
 * a time and only if nobody else is at it, so that no request waits for another.
 * <p>
 * A key in progress is never evicted. It has no place in the {@linkplain EndOrder order
 * of ends}, since nearly all are completed or released long before theirs; now and then
 * the rest is looked for.
 */
final class MemoryRecords {

	/**
	 * Up to so many keys in progress are no reason to look for some that are over.
	 */
	static final int IN_PROGRESS_UNSUSPICIOUS = 1 << 10;

	/**
	 * Up to so many results that are gone are no reason to look for them.
	 */
	static final int GONE_UNSUSPICIOUS = 1 << 10;

	/**
	 * Rare enough to cost nothing, often enough that what is over does not pile up.
	 */
	static final int CLAIMS_BETWEEN_SWEEPS = 1 << 13;

	/**
	 * More than come in the same time, and few enough for one request to do.
	 */
	private static final int DROPPED_AT_ONCE = 16;

	private static final Logger logger = LoggerFactory.getLogger(MemoryRecords.class);

	private final ConcurrentMap<IdempotencyKey, MemoryRecord> records = new ConcurrentHashMap<>();

	private final EndOrder ends = new EndOrder();

	private final MemoryLimits limits;

	private final Clock clock;

	private final EvictionListener evictionListener;

	private final AtomicLong inProgress = new AtomicLong();

	private final AtomicLong results = new AtomicLong();

	private final AtomicLong bytes = new AtomicLong();

	/**
	 * Results that are gone and still have a place in the order of ends.
	 */
	private final AtomicLong gone = new AtomicLong();

	private final AtomicLong claims = new AtomicLong();

	private final AtomicLong nextSweep = new AtomicLong(CLAIMS_BETWEEN_SWEEPS);

	/**
	 * Held by whoever drops results. The others need not wait, since that one looks again
	 * when it is done.
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
	 * The number of a claim, which no other has.
	 */
	long nextClaim() {
		return this.claims.incrementAndGet();
	}

	/**
	 * Adds a record of a key in progress, unless there is one of that key.
	 * @return what is there already, be it over or not; {@code null} if it was added
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
	 * Calls for each record that is not over.
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
	 * Takes a record away that is over or gone.
	 */
	void dropIfOver(MemoryRecord record, long now) {
		if (record.vanishIfItEndsBy(now)) {
			dropped(record);
		}
		else if (record.isGone()) {
			// Whoever let it be gone is about to do the same
			this.records.remove(record.key(), record);
		}
	}

	/**
	 * Takes a record away in whatever state it is, if it is not over.
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
	 * A record is gone, and leaves the map.
	 */
	void dropped(MemoryRecord record) {
		this.records.remove(record.key(), record);
		if (record.isCompleted()) {
			this.results.decrementAndGet();
			this.bytes.addAndGet(-record.bytes());
			this.gone.incrementAndGet();
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
	 * A key in progress has got its result.
	 */
	void completed(MemoryRecord record, long now) {
		this.inProgress.decrementAndGet();
		this.results.incrementAndGet();
		this.bytes.addAndGet(record.bytes());
		this.ends.add(record);
		boolean more = true;
		while (more && (isFull() || hasManyGone() || this.ends.hasEnded(now)) && this.dropping.tryLock()) {
			try {
				more = dropSome(now);
			}
			finally {
				this.dropping.unlock();
			}
		}
	}

	private boolean hasManyGone() {
		return this.gone.get() > Math.max(GONE_UNSUSPICIOUS, this.results.get());
	}

	private boolean isFull() {
		return this.results.get() > this.limits.maxEntries() || this.bytes.get() > this.limits.maxBytes();
	}

	/**
	 * Drops what is over, and of the rest the first to end while there are too many.
	 * @return whether to look again: not if there is nothing left to drop, because what
	 * is counted is still being added, by a thread that will come here
	 */
	private boolean dropSome(long now) {
		if (hasManyGone()) {
			this.gone.addAndGet(-this.ends.forgetGone());
		}
		for (int i = 0; i < DROPPED_AT_ONCE; i++) {
			if (!isFull() && !this.ends.hasEnded(now)) {
				return true;
			}
			MemoryRecord record = this.ends.take();
			if (record == null) {
				return false;
			}
			drop(record, now);
		}
		return isFull();
	}

	private void drop(MemoryRecord record, long now) {
		if (!isFull() && !record.isOver(now)) {
			this.ends.add(record);
		}
		else if (record.vanishIfItEndsBy(record.filedUnder)) {
			dropped(record);
			this.gone.decrementAndGet();
			if (!record.isOver(now)) {
				evicted(record.key());
			}
		}
		else if (record.isGone()) {
			this.gone.decrementAndGet();
		}
		else {
			// Extended
			this.ends.add(record);
		}
	}

	private void evicted(IdempotencyKey key) {
		if (this.evictionLogged.compareAndSet(false, true)) {
			logger.warn(
					"The in-memory idempotency store is full and forgets results before their ttl is over: "
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
	 * Looks for keys in progress that are over, if there may be many, and at the most as
	 * often as it takes to have looked at one record for each claim.
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
	 * How many there are, also of what is over and still there.
	 */
	int size() {
		return this.records.size();
	}

	/**
	 * How many results have a place in the order of ends, also of what is gone.
	 */
	long sizeOfEndOrder() {
		return this.results.get() + this.gone.get();
	}

}
