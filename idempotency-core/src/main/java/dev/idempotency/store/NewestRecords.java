package dev.idempotency.store;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/**
 * The newest of many records, as many as a page takes: for stores that can only look at
 * one after the other.
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
	 * @param offset how many of the newest are passed over
	 * @param limit how many are on the page
	 */
	public NewestRecords(int offset, int limit) {
		SearchableStore.requireReachable(offset, limit);
		this.offset = offset;
		this.reach = offset + limit;
	}

	/**
	 * Adds a record, which may be there already.
	 * @param record the record
	 */
	public void add(RecordSummary record) {
		this.newest.add(record);
		if (this.newest.size() > this.reach) {
			this.newest.pollLast();
		}
	}

	/**
	 * How old a record may be that could still be among them.
	 * @return when it must have been created, or later
	 */
	public Instant floor() {
		return (this.newest.size() < this.reach) ? Instant.EPOCH : this.newest.last().created();
	}

	/**
	 * How many records are looked for, those that are passed over included.
	 * @return the number
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
