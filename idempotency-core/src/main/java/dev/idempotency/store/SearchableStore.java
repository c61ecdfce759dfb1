package dev.idempotency.store;

import java.util.List;
import java.util.Optional;

import dev.idempotency.RecordState;

/**
 * A store whose records can be counted and looked through, by people and not on the way
 * of any operation.
 * <p>
 * However many records there are, an answer takes bounded memory and does not hold up
 * those who claim; a store for which looking at all of them would take too long says that
 * it has looked at some.
 */
public interface SearchableStore extends InspectableStore {

	/**
	 * The furthest that a search reaches: the records that it passes over and those that
	 * it finds, taken together.
	 */
	int MAX_REACH = 10_000;

	/**
	 * Of how many operations there are counts.
	 */
	int MAX_OPERATIONS = 1000;

	/**
	 * Finds records, the newest first.
	 * @param filter which ones
	 * @param offset how many to pass over
	 * @param limit how many at most
	 * @return what was found
	 * @throws IllegalArgumentException if that is further than {@link #MAX_REACH}
	 */
	Found search(RecordFilter filter, int offset, int limit);

	/**
	 * Counts the records of an application.
	 * @param namespace the application
	 * @return how many there are
	 */
	Counts count(String namespace);

	/**
	 * Reads a record by its name.
	 * @param id its name
	 * @return the record, if there is one
	 */
	Optional<Inspection> find(RecordId id);

	/**
	 * Forgets a record by its name, as {@link #forget(dev.idempotency.IdempotencyKey)}
	 * does.
	 * @param id its name
	 * @return whether there was anything to forget
	 */
	boolean forget(RecordId id);

	/**
	 * Makes sure that a search can be told to find so much.
	 * @param offset how many to pass over
	 * @param limit how many at most
	 */
	static void requireReachable(int offset, int limit) {
		if (offset < 0 || limit < 1 || (long) offset + limit > MAX_REACH) {
			throw new IllegalArgumentException(
					"A search finds 1 or more of the newest %d records, and not %d after passing over %d: use a filter"
						.formatted(MAX_REACH, limit, offset));
		}
	}

	/**
	 * What a search has found.
	 *
	 * @param records the records, the newest first
	 * @param complete {@code false} if the store has looked at some of its records only
	 */
	record Found(List<RecordSummary> records, boolean complete) {

		public Found {
			records = List.copyOf(records);
		}

	}

	/**
	 * How many records there are.
	 *
	 * @param counts a number for each operation and state of which there are any; of more
	 * than {@link #MAX_OPERATIONS} operations, those with the most records
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
	 * @param state how far it has come
	 * @param number how many there are
	 */
	record Count(String operation, RecordState state, long number) {
	}

}
