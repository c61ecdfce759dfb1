package dev.idempotency.actuate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.idempotency.RecordState;
import dev.idempotency.store.SearchableStore.Count;
import dev.idempotency.store.SearchableStore.Counts;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The number of records in the store, and the recent attempts on this instance.
 *
 * @param store the name of the store
 * @param settings the settings of the application
 * @param records the number of records, or {@code null} if the store cannot be searched
 * @param recent the recent attempts on this instance
 */
record OverviewView(String store, SetupView settings, @Nullable RecordCounts records,
		RecentAttempts.Series recent) implements OperationResponseBody {

	/**
	 * How many records there are.
	 *
	 * @param exact whether all were counted; if not, the numbers are estimates
	 * @param total all of them
	 * @param states by state
	 * @param operations by operation, those with the most first
	 */
	public record RecordCounts(boolean exact, long total, Map<RecordState, Long> states,
			List<OperationCount> operations) {

		static RecordCounts of(Counts counts) {
			Map<String, Map<RecordState, Long>> byOperation = new LinkedHashMap<>();
			for (Count count : counts.counts()) {
				byOperation.computeIfAbsent(count.operation(), (operation) -> none())
					.merge(count.state(), count.number(), Long::sum);
			}
			Map<RecordState, Long> states = none();
			List<OperationCount> operations = new ArrayList<>();
			byOperation.forEach((operation, numbers) -> {
				numbers.forEach((state, number) -> states.merge(state, number, Long::sum));
				operations.add(new OperationCount(operation, sum(numbers), numbers));
			});
			operations.sort((one, other) -> Long.compare(other.total(), one.total()));
			return new RecordCounts(counts.exact(), sum(states), states, operations);
		}

		private static Map<RecordState, Long> none() {
			Map<RecordState, Long> numbers = new LinkedHashMap<>();
			for (RecordState state : RecordState.values()) {
				numbers.put(state, 0L);
			}
			return numbers;
		}

		private static long sum(Map<RecordState, Long> numbers) {
			return numbers.values().stream().mapToLong(Long::longValue).sum();
		}

	}

	/**
	 * The records of one operation.
	 *
	 * @param operation what their keys protect
	 * @param total all of them
	 * @param states by state
	 */
	public record OperationCount(String operation, long total, Map<RecordState, Long> states) {
	}

}
