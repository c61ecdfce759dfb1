package dev.idempotency.store;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.idempotency.RecordState;
import dev.idempotency.store.SearchableStore.Count;
import dev.idempotency.store.SearchableStore.Counts;

/**
 * Counts records by operation and state while a store scans them.
 */
public final class RecordTally {

	private static final int MOST_OPERATIONS = 10 * SearchableStore.MAX_OPERATIONS;

	private final Map<String, Map<RecordState, Long>> numbers = new HashMap<>();

	private boolean exact = true;

	public RecordTally() {
	}

	/**
	 * Counts some records.
	 * @param operation what their keys protect
	 * @param state their state
	 * @param number how many there are
	 */
	public void add(String operation, RecordState state, long number) {
		if (number == 0) {
			return;
		}
		if (this.numbers.size() >= MOST_OPERATIONS && !this.numbers.containsKey(operation)) {
			this.exact = false;
			return;
		}
		this.numbers.computeIfAbsent(operation, (name) -> new EnumMap<>(RecordState.class))
			.merge(state, number, Long::sum);
	}

	/**
	 * Adds another tally.
	 * @param part the other tally
	 */
	public void addAll(RecordTally part) {
		part.numbers.forEach((operation, states) -> states.forEach((state, number) -> add(operation, state, number)));
		this.exact &= part.exact;
	}

	/**
	 * Extrapolates from the tally of a sample.
	 * @param sample the tally of the sample
	 * @param factor how many times more records there are than in the sample
	 */
	public void addSample(RecordTally sample, double factor) {
		sample.numbers.forEach((operation, states) -> states
			.forEach((state, number) -> add(operation, state, Math.round(number * factor))));
		this.exact = false;
	}

	/**
	 * The counts.
	 * @return the counts of the operations that have the most records
	 */
	public Counts counts() {
		List<Map.Entry<String, Map<RecordState, Long>>> operations = new ArrayList<>(this.numbers.entrySet());
		operations
			.sort(Comparator.comparingLong((Map.Entry<String, Map<RecordState, Long>> each) -> total(each.getValue()))
				.reversed()
				.thenComparing(Map.Entry::getKey));
		List<Count> counts = new ArrayList<>();
		operations.stream()
			.limit(SearchableStore.MAX_OPERATIONS)
			.forEach((each) -> each.getValue()
				.forEach((state, number) -> counts.add(new Count(each.getKey(), state, number))));
		return new Counts(counts, this.exact);
	}

	private static long total(Map<RecordState, Long> states) {
		return states.values().stream().mapToLong(Long::longValue).sum();
	}

}
