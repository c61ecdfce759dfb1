package dev.idempotency.store;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/**
 * Collects one page of the newest records, for stores that can only scan their records.
 */
public final class NewestRecords {

	private static final Comparator<RecordSummary> NEWEST_FIRST = Comparator.comparing(RecordSummary::created)
		.reversed()
		.thenComparing((record) -> record.id().value());

	private final int offset;

	private final int reach;

	private final TreeSet<RecordSummary> newest = new TreeSet<>(NEWEST_FIRST);

	/**
	 * Create a page without records.
	 * @param offset how many of the newest to skip
	 * @param limit how many are on the page
	 */
	public NewestRecords(int offset, int limit) {
		SearchableStore.requireReachable(offset, limit);
		this.offset = offset;
		this.reach = offset + limit;
	}

	/**
	 * Adds a record, unless it has been added already.
	 */
	public void add(RecordSummary record) {
		this.newest.add(record);
		if (this.newest.size() > this.reach) {
			this.newest.pollLast();
		}
	}

	/**
	 * The oldest creation time that can still make the page.
	 * @return the time; records that were created earlier can be skipped
	 */
	public Instant floor() {
		return (this.newest.size() < this.reach) ? Instant.EPOCH : this.newest.last().created();
	}

	/**
	 * How many records are collected, skipped ones included.
	 */
	public int reach() {
		return this.reach;
	}

	/**
	 * The page.
	 * @return its records, the newest first
	 */
	public List<RecordSummary> page() {
		return this.newest.stream().skip(this.offset).toList();
	}

}
