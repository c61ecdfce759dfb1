package dev.idempotency.store.memory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * Results in the order in which they expire. Those that expire in the same second form a
 * stack, linked through the records themselves: to add one takes no lock and rarely an
 * object, since most go to the same second as the one before.
 * <p>
 * Only one thread at a time may take. A taken record may have been extended since, or be
 * gone.
 */
final class EndOrder {

	private static final long NEVER = Long.MAX_VALUE;

	/**
	 * Shifts milliseconds to about a second.
	 */
	private static final int SECOND = 10;

	private static final Comparator<MemoryRecord> LAST_FIRST = Comparator
		.<MemoryRecord>comparingLong((record) -> record.filedUnder)
		.reversed();

	private final ConcurrentNavigableMap<Long, Together> seconds = new ConcurrentSkipListMap<>();

	/**
	 * The stack of the latest record.
	 */
	private volatile Together latest = new Together(NEVER);

	/**
	 * The first second in which anything expires, or an earlier one.
	 */
	private final AtomicLong first = new AtomicLong(NEVER);

	/**
	 * The records of the first second, with the first to expire at the end of the list.
	 */
	private final List<MemoryRecord> taken = new ArrayList<>();

	void add(MemoryRecord record) {
		record.filedUnder = record.expires();
		long second = record.filedUnder >> SECOND;
		Together together = this.latest;
		while (together.second != second || !together.add(record)) {
			together = this.seconds.compute(second,
					(same, there) -> (there != null && !there.isClosed()) ? there : new Together(second));
			this.latest = together;
		}
		if (second < this.first.get()) {
			this.first.accumulateAndGet(second, Math::min);
		}
	}

	/**
	 * Takes the first record to expire.
	 * @return {@code null} if there is none
	 */
	@Nullable MemoryRecord take() {
		long before = this.first.get();
		Map.Entry<Long, Together> next = this.seconds.firstEntry();
		if (next != null && (this.taken.isEmpty() || next.getKey() < firstTaken())) {
			this.seconds.remove(next.getKey(), next.getValue());
			int others = this.taken.size();
			next.getValue().closeInto(this.taken);
			this.taken.subList(others, this.taken.size()).sort(LAST_FIRST);
		}
		MemoryRecord record = this.taken.isEmpty() ? null : this.taken.remove(this.taken.size() - 1);
		this.first.compareAndSet(before, firstLeft());
		return record;
	}

	/**
	 * Whether something has expired in an earlier second than the current one, unless it
	 * was extended.
	 */
	boolean hasEnded(long now) {
		return this.first.get() < now >> SECOND;
	}

	/**
	 * Drops the records that are gone.
	 * @return how many
	 */
	int forgetGone() {
		List<MemoryRecord> left = new ArrayList<>();
		int forgotten = 0;
		for (MemoryRecord record = take(); record != null; record = take()) {
			if (record.isGone()) {
				forgotten++;
			}
			else {
				left.add(record);
			}
		}
		left.forEach(this::add);
		return forgotten;
	}

	private long firstLeft() {
		if (!this.taken.isEmpty()) {
			return firstTaken();
		}
		Map.Entry<Long, Together> next = this.seconds.firstEntry();
		return (next != null) ? next.getKey() : NEVER;
	}

	private long firstTaken() {
		return this.taken.get(this.taken.size() - 1).filedUnder >> SECOND;
	}

	/**
	 * The records that expire in the same second.
	 */
	private static final class Together {

		private static final Object CLOSED = new Object();

		private final long second;

		/**
		 * A record, {@code null}, or {@link #CLOSED} if nothing can be added any more.
		 */
		private final AtomicReference<@Nullable Object> newest = new AtomicReference<>();

		private Together(long second) {
			this.second = second;
		}

		private boolean add(MemoryRecord record) {
			Object before = this.newest.get();
			while (before != CLOSED) {
				record.next = (MemoryRecord) before;
				if (this.newest.compareAndSet(before, record)) {
					return true;
				}
				before = this.newest.get();
			}
			return false;
		}

		private boolean isClosed() {
			return this.newest.get() == CLOSED;
		}

		private void closeInto(List<MemoryRecord> records) {
			MemoryRecord record = (MemoryRecord) this.newest.getAndSet(CLOSED);
			while (record != null) {
				MemoryRecord before = record.next;
				record.next = null;
				records.add(record);
				record = before;
			}
		}

	}

}
