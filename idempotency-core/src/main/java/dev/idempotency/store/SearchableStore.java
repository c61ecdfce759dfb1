package dev.idempotency.store;

import java.util.List;
import java.util.Optional;

import dev.idempotency.RecordState;

/**
 * A store whose records can be searched and counted, for operators. No operation depends
 * on it.
 * <p>
 * A search takes bounded memory and does not block claims, however many records there
 * are. A store that would take too long to scan all records scans some, and says so.
 */
public interface SearchableStore extends InspectableStore {

	/**
	 * The furthest that a search reaches: the records that it skips and those that it
	 * finds, taken together.
	 */
	int MAX_REACH = 10_000;

	/**
	 * The most operations that are counted.
	 */
	int MAX_OPERATIONS = 1000;

	/**
	 * Finds records, the newest first.
	 * @param filter which ones
	 * @param offset how many to skip
	 * @param limit the most records to find
	 * @throws IllegalArgumentException if that exceeds {@link #MAX_REACH}
	 */
	Found search(RecordFilter filter, int offset, int limit);

	/**
	 * Counts the records of an application.
	 * @param namespace the application
	 * @return how many there are
	 */
	Counts count(String namespace);

	/**
	 * Reads a record by its id.
	 * @return the record, if there is one
	 */
	Optional<Inspection> find(RecordId id);

	/**
	 * Forgets a record by its id, as {@link #forget(dev.idempotency.IdempotencyKey)}
	 * does.
	 * @return whether there was anything to forget
	 */
	boolean forget(RecordId id);

	/**
	 * Makes sure that a search does not exceed {@link #MAX_REACH}.
	 * @param offset how many to skip
	 * @param limit the most records to find
	 */
	static void requireReachable(int offset, int limit) {
		if (offset < 0 || limit < 1 || (long) offset + limit > MAX_REACH) {
			throw new IllegalArgumentException(
					"A search finds 1 or more of the newest %d records, and not %d after skipping %d: use a filter"
						.formatted(MAX_REACH, limit, offset));
		}
	}

	/**
	 * The result of a search.
	 *
	 * @param records the records, the newest first
	 * @param complete {@code false} if the store has scanned only some of its records
	 */
	record Found(List<RecordSummary> records, boolean complete) {

		public Found {
			records = List.copyOf(records);
		}

	}

	/**
	 * The number of records.
	 *
	 * @param counts a number for each operation and state that has records; for more than
	 * {@link #MAX_OPERATIONS} operations, those with the most records
	 * @param exact {@code false} if the numbers are estimated from some of the records
	 */
	record Counts(List<Count> counts, boolean exact) {

		public Counts {
			counts = List.copyOf(counts);
		}

	}

	/**
	 * The records of one operation in one state.
	 *
	 * @param operation what their keys protect
	 * @param state their state
	 * @param number how many there are
	 */
	record Count(String operation, RecordState state, long number) {
	}

}
