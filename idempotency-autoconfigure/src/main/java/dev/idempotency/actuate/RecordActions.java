package dev.idempotency.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import dev.idempotency.RecordState;
import dev.idempotency.ResultTooLargeException;
import dev.idempotency.Settlement;
import dev.idempotency.core.AnswerReader;
import dev.idempotency.core.AnswerReader.Answer;
import dev.idempotency.core.Conclusion;
import dev.idempotency.core.GivenResult;
import dev.idempotency.core.KnownOperation.Protection;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.core.OperationsReport;
import dev.idempotency.core.Records;
import dev.idempotency.core.ResultWriter;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.SearchableStore.Found;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;

/**
 * The operations of operators on records.
 */
public final class RecordActions {

	private static final int DEFAULT_SIZE = 20;

	private static final int MAX_SIZE = 100;

	private final Records records;

	private final Visibility visibility;

	private final List<ResultWriter> writers;

	private final Supplier<OperationsReport> operations;

	private final OperationPolicy policy;

	/**
	 * Create the actions.
	 * @param visibility what operators may see
	 * @param writers write the results that operators give
	 * @param operations the operations of the application
	 * @param policy the policy of operations that it does not know
	 */
	public RecordActions(Records records, Visibility visibility, List<ResultWriter> writers,
			Supplier<OperationsReport> operations, OperationPolicy policy) {
		this.records = records;
		this.visibility = visibility;
		this.writers = List.copyOf(writers);
		this.operations = operations;
		this.policy = policy;
	}

	OverviewView.@Nullable RecordCounts count() {
		return this.records.areSearchable() ? OverviewView.RecordCounts.of(this.records.count()) : null;
	}

	/**
	 * Returns the filter that a search starts from.
	 */
	RecordFilter all() {
		return this.records.all();
	}

	RecordsView search(RecordFilter filter, @Nullable Integer page, @Nullable Integer size, SecurityContext caller) {
		int limit = (size != null) ? size : DEFAULT_SIZE;
		if (limit < 1 || limit > MAX_SIZE) {
			throw invalid("size must be between 1 and %d".formatted(MAX_SIZE));
		}
		int number = (page != null) ? page : 0;
		long offset = (long) number * limit;
		if (offset < 0 || offset >= SearchableStore.MAX_REACH) {
			throw invalid(
					"page must be between 0 and %d with this size: pages reach the newest %d records, use a filter (key, hash, operation, state, olderThan, youngerThan) to see others"
						.formatted((SearchableStore.MAX_REACH - 1) / limit, SearchableStore.MAX_REACH));
		}
		// One more tells whether there is a further page, where one can be reached
		Found found = this.records.search(filter, (int) offset,
				(int) Math.min(limit + 1, SearchableStore.MAX_REACH - offset));
		boolean whole = this.visibility.showsValues(caller);
		// A search for a single key shows its response
		boolean single = filter.key() != null || filter.idPrefix() != null;
		OperationsReport operations = this.operations.get();
		return new RecordsView(number, limit, found.records().size() > limit, found.complete(),
				found.records()
					.stream()
					.limit(limit)
					.map((record) -> view(record, single ? answerOf(record.id()) : null, whole, operations))
					.toList());
	}

	private @Nullable Answer answerOf(RecordId id) {
		return this.records.find(id).map((it) -> answerOf(it.result())).orElse(null);
	}

	private @Nullable Answer answerOf(@Nullable StoredResult result) {
		if (result == null || result.isTombstone()) {
			return null;
		}
		for (AnswerReader reader : this.visibility.answerReaders()) {
			Answer answer = reader.read(result.payload()).orElse(null);
			if (answer != null) {
				return answer;
			}
		}
		return null;
	}

	@Nullable RecordView read(RecordId id, SecurityContext caller) {
		boolean whole = this.visibility.showsValues(caller);
		return this.records.find(id)
			.map((it) -> view(it.summary(), answerOf(it.result()), whole, this.operations.get()))
			.orElse(null);
	}

	private RecordView view(RecordSummary record, @Nullable Answer answer, boolean whole, OperationsReport operations) {
		String operation = record.key().operation();
		List<Protection> protections = operations.protectionsOf(operation);
		return RecordView.of(record, answer, whole, isTransactional(protections),
				policyOf(protections).maxReplays() > 0);
	}

	/**
	 * Whether the operation of a record is transactional.
	 * @return {@code null} if the application does not know it, or its handlers differ
	 */
	private static @Nullable Boolean isTransactional(List<Protection> protections) {
		List<Boolean> answers = protections.stream().map(Protection::transactional).distinct().toList();
		return (answers.size() == 1) ? answers.get(0) : null;
	}

	private OperationPolicy policyOf(List<Protection> protections) {
		return protections.isEmpty() ? this.policy : protections.get(0).policy();
	}

	/**
	 * What is left of the lease of a record.
	 */
	Duration leaseLeft(RecordId id) {
		return this.records.find(id).map((it) -> it.summary().leaseLeft()).orElse(Duration.ZERO);
	}

	/**
	 * Returns the operation of a record whose latest attempt was rolled back, as far as
	 * is known. One that reported that its outcome is unknown may have committed.
	 */
	Optional<String> rolledBack(RecordId id) {
		return this.records.find(id)
			.map(Inspection::summary)
			.filter((it) -> it.state() == RecordState.ABANDONED)
			.map((it) -> it.key().operation())
			.filter((it) -> Boolean.TRUE.equals(isTransactional(this.operations.get().protectionsOf(it))));
	}

	boolean forget(RecordId id) {
		return this.records.forget(id);
	}

	/**
	 * Settles an abandoned record as done.
	 * @param given its result, or {@code null} if there is none, which retries then learn
	 */
	Settlement settleAsDone(RecordId id, @Nullable GivenResult given) {
		Optional<RecordSummary> record = this.records.find(id).map(Inspection::summary);
		if (record.isEmpty()) {
			return Settlement.NOT_FOUND;
		}
		String operation = record.get().key().operation();
		try {
			return settle(id, operation, new Conclusion.Done(
					(given != null) ? StoredResult.of(write(operation, given)) : StoredResult.tombstone()));
		}
		catch (ResultTooLargeException | IllegalArgumentException ex) {
			throw invalid(String.valueOf(ex.getMessage()));
		}
	}

	/**
	 * Settles an abandoned record as not done.
	 */
	Settlement settleAsNotDone(RecordId id) {
		return this.records.find(id)
			.map((it) -> settle(id, it.summary().key().operation(), new Conclusion.NotDone()))
			.orElse(Settlement.NOT_FOUND);
	}

	private Settlement settle(RecordId id, String operation, Conclusion conclusion) {
		return this.records.settle(id, policyOf(this.operations.get().protectionsOf(operation)), conclusion);
	}

	private byte[] write(String operation, GivenResult given) {
		for (ResultWriter writer : this.writers) {
			Optional<byte[]> result = writer.write(operation, given);
			if (result.isPresent()) {
				return result.get();
			}
		}
		throw new IllegalArgumentException("No ResultWriter can write results of %s".formatted(operation));
	}

	static InvalidEndpointRequestException invalid(String reason) {
		return new InvalidEndpointRequestException(reason, reason);
	}

}
