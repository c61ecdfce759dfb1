package dev.idempotency.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.core.AnswerReader;
import dev.idempotency.core.AnswerReader.Answer;
import dev.idempotency.core.OperationsReport;
import dev.idempotency.core.Records;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordState;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.SearchableStore.Found;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * The endpoint {@code idempotency}: what is remembered, what happened to a key, which
 * operations are protected, and a way to forget a key.
 * <ul>
 * <li>{@code GET} gives an overview,</li>
 * <li>{@code GET records} finds records,</li>
 * <li>{@code GET records/{id}} reads one, {@code DELETE records/{id}} forgets it,</li>
 * <li>{@code GET operations} lists the operations of the application.</li>
 * </ul>
 */
@WebEndpoint(id = "idempotency")
public final class IdempotencyEndpoint {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyEndpoint.class);

	private static final String RECORDS = "records";

	private static final String OPERATIONS = "operations";

	private static final Pattern HASH = Pattern.compile("#?[0-9a-fA-F]{6,64}");

	private static final int DEFAULT_SIZE = 20;

	private static final int MAX_SIZE = 100;

	private static final int MAX_OFFSET = 10_000;

	private final String store;

	private final Records records;

	private final RecentAttempts recent;

	private final Supplier<OperationsReport> operations;

	private final Visibility visibility;

	/**
	 * Create the endpoint.
	 * @param store what remembers, for people
	 * @param records the records
	 * @param recent what this instance did
	 * @param operations the operations of the application
	 * @param visibility what operators may see
	 */
	public IdempotencyEndpoint(String store, Records records, RecentAttempts recent,
			Supplier<OperationsReport> operations, Visibility visibility) {
		this.store = store;
		this.records = records;
		this.recent = recent;
		this.operations = operations;
		this.visibility = visibility;
	}

	/**
	 * What the store holds, and what this instance did in the last minutes.
	 * @return the overview
	 */
	@ReadOperation
	public WebEndpointResponse<?> overview() {
		return answer(() -> new OverviewView(this.store,
				this.records.areSearchable() ? OverviewView.RecordCounts.of(this.records.count()) : null,
				this.recent.series()));
	}

	/**
	 * Finds records, or lists the operations.
	 * @param view what to list
	 * @param key the client's key, in full
	 * @param hash the key's hash as it stands in logs and traces, or the start of an id
	 * @param operation what the key protects
	 * @param state how far the operation has come
	 * @param olderThan the least age, such as {@code 10m}
	 * @param youngerThan the greatest age
	 * @param page which page, from 0
	 * @param size how many records a page has
	 * @param caller who asks
	 * @return what was found
	 */
	@ReadOperation
	public WebEndpointResponse<?> list(@Selector String view, @Nullable String key, @Nullable String hash,
			@Nullable String operation, @Nullable RecordState state, @Nullable Duration olderThan,
			@Nullable Duration youngerThan, @Nullable Integer page, @Nullable Integer size, SecurityContext caller) {
		if (view.equals(OPERATIONS)) {
			return answer(() -> OperationsView.of(this.operations.get()));
		}
		if (!view.equals(RECORDS)) {
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		RecordFilter filter = this.records.all()
			.withKey(key)
			.withIdPrefix(idPrefix(hash))
			.withOperation(operation)
			.withState(state)
			.withAge(olderThan, youngerThan);
		int limit = between("size", (size != null) ? size : DEFAULT_SIZE, 1, MAX_SIZE);
		int number = between("page", (page != null) ? page : 0, 0, MAX_OFFSET / limit);
		return answer(() -> search(filter, number, limit, this.visibility.showsValues(caller)));
	}

	private static @Nullable String idPrefix(@Nullable String hash) {
		if (hash == null) {
			return null;
		}
		if (!HASH.matcher(hash).matches()) {
			throw invalid("hash has 6 to %d hexadecimal digits".formatted(RecordId.LENGTH));
		}
		return hash.replace("#", "").toLowerCase(Locale.ROOT);
	}

	private static int between(String name, int number, int least, int most) {
		if (number < least || number > most) {
			throw invalid("%s must be between %d and %d".formatted(name, least, most));
		}
		return number;
	}

	private static InvalidEndpointRequestException invalid(String reason) {
		return new InvalidEndpointRequestException(reason, reason);
	}

	private RecordsView search(RecordFilter filter, int page, int size, boolean whole) {
		Found found = this.records.search(filter, page * size, size + 1);
		List<RecordSummary> shown = found.records().stream().limit(size).toList();
		// Whoever asks for a key wants to know what became of it
		boolean single = filter.key() != null || filter.idPrefix() != null;
		return new RecordsView(page, size, found.records().size() > size, found.complete(),
				shown.stream()
					.map((record) -> RecordView.of(record, single ? answerOf(record.id()) : null, whole))
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

	/**
	 * Reads a record.
	 * @param view what it is part of
	 * @param id its name
	 * @param caller who asks
	 * @return the record
	 */
	@ReadOperation
	public WebEndpointResponse<?> read(@Selector String view, @Selector String id, SecurityContext caller) {
		RecordId name = nameOf(view, id);
		boolean whole = this.visibility.showsValues(caller);
		return answer(() -> this.records.find(name)
			.map((it) -> RecordView.of(it.summary(), answerOf(it.result()), whole))
			.orElse(null));
	}

	/**
	 * Forgets a record: the next attempt with its key is a first one.
	 * @param view what it is part of
	 * @param id its name
	 * @param caller who asks
	 * @return nothing
	 */
	@DeleteOperation
	public WebEndpointResponse<?> forget(@Selector String view, @Selector String id, SecurityContext caller) {
		RecordId name = nameOf(view, id);
		try {
			if (!this.records.forget(name)) {
				return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
			}
		}
		catch (IdempotencyStoreException ex) {
			return unavailable(ex);
		}
		logger.info("The record {} was forgotten by {}: the next attempt with its key runs", name,
				(caller.getPrincipal() != null) ? caller.getPrincipal().getName() : "someone who is not logged in");
		return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
	}

	private static RecordId nameOf(String view, String id) {
		if (!view.equals(RECORDS)) {
			throw invalid("there is nothing below " + OPERATIONS);
		}
		try {
			return new RecordId(id);
		}
		catch (IllegalArgumentException ex) {
			throw invalid("the id of a record has %d hexadecimal digits: search by key or hash to find it"
				.formatted(RecordId.LENGTH));
		}
	}

	private static WebEndpointResponse<?> answer(Supplier<@Nullable Object> question) {
		try {
			Object answer = question.get();
			return (answer != null) ? new WebEndpointResponse<>(answer)
					: new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		catch (IdempotencyStoreException ex) {
			return unavailable(ex);
		}
		catch (UnsupportedOperationException ex) {
			throw invalid("the store cannot be looked through");
		}
	}

	private static WebEndpointResponse<?> unavailable(IdempotencyStoreException ex) {
		// Its message and cause may name servers, which is for the log only
		logger.warn("{}: {}", ex.getMessage(), String.valueOf(ex.getCause()));
		return new WebEndpointResponse<>(new ProblemView("The idempotency store failed, see the log"),
				WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
	}

}
