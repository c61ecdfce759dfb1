package dev.idempotency.core;

import java.time.Clock;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.RecordState;
import dev.idempotency.ResultTooLargeException;
import dev.idempotency.Settlement;
import dev.idempotency.UnreadableResultException;
import dev.idempotency.UnsupportedFormatException;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.KeyDescription;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.RoutingStore;
import dev.idempotency.store.SearchableStore.Found;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * The records of one application, for operators: to count, find, read, settle and forget.
 * Records of other applications that share the store are not visible.
 */
public final class Records {

	private final IdempotencyStore store;

	private final EngineSettings settings;

	private final Listeners listeners;

	private final LeaseKeeper leases;

	private final Clock clock;

	private final GuardedStore guarded;

	private final String shownNamespace;

	Records(IdempotencyStore store, EngineSettings settings, Listeners listeners, LeaseKeeper leases, Clock clock) {
		this.store = store;
		this.settings = settings;
		this.listeners = listeners;
		this.leases = leases;
		this.clock = clock;
		this.guarded = new GuardedStore(store, listeners, settings.packing());
		this.shownNamespace = KeyDescription.of(IdempotencyKey.of("any", "any").within(settings.namespace()))
			.namespace();
	}

	/**
	 * Whether the store can be searched.
	 * @return whether records can be searched, counted and found by id
	 */
	public boolean areSearchable() {
		return this.store instanceof SearchableStore;
	}

	/**
	 * A filter for all records of the application.
	 */
	public RecordFilter all() {
		return RecordFilter.all(this.shownNamespace);
	}

	/**
	 * Finds records, the newest first. Those that this instance executes now are also
	 * found if the store has scanned only some of its records.
	 * @param filter which ones
	 * @param offset how many to skip
	 * @param limit the most records to find
	 * @throws IdempotencyStoreException if the store failed
	 * @throws UnsupportedOperationException if the store cannot be searched
	 */
	public Found search(RecordFilter filter, int offset, int limit) {
		SearchableStore searchable = searchable();
		Found found = ask("search", () -> searchable.search(filter, offset, limit));
		boolean mayMissOwn = !found.complete() && filter.state() == RecordState.IN_PROGRESS && offset == 0;
		return mayMissOwn ? withOwn(found, filter, limit) : found;
	}

	private Found withOwn(Found found, RecordFilter filter, int limit) {
		Map<RecordId, RecordSummary> records = new HashMap<>();
		found.records().forEach((record) -> records.put(record.id(), record));
		for (IdempotencyKey key : this.leases.someKeys(limit)) {
			records.computeIfAbsent(RecordId.of(key),
					(id) -> findOwn(id).map(Inspection::summary)
						.filter((record) -> filter.matches(record, this.clock.instant()))
						.orElse(null));
		}
		return new Found(records.values()
			.stream()
			.sorted(Comparator.comparing(RecordSummary::created).reversed())
			.limit(limit)
			.toList(), false);
	}

	/**
	 * Counts the records of the application.
	 * @return how many there are
	 * @throws IdempotencyStoreException if the store failed
	 * @throws UnsupportedOperationException if the store cannot be searched
	 */
	public SearchableStore.Counts count() {
		SearchableStore searchable = searchable();
		return ask("count", () -> searchable.count(this.shownNamespace));
	}

	/**
	 * Reads a record, with its result if that can be read here: neither compressed nor
	 * encrypted.
	 * @return the record, if the application has one of that id
	 * @throws IdempotencyStoreException if the store failed
	 * @throws UnsupportedOperationException if the store cannot be searched
	 */
	public Optional<Inspection> find(RecordId id) {
		return findOwn(id).map((it) -> new Inspection(it.summary(), it.fingerprint(), readable(it)));
	}

	private Optional<Inspection> findOwn(RecordId id) {
		SearchableStore searchable = searchable();
		return ask("find", () -> searchable.find(id))
			.filter((it) -> it.summary().key().namespace().equals(this.shownNamespace));
	}

	/**
	 * Forgets a record in any state; the next attempt is attempt 1.
	 * @return whether the application had one of that id
	 * @throws IdempotencyStoreException if the store failed
	 * @throws UnsupportedOperationException if the store cannot be searched
	 */
	public boolean forget(RecordId id) {
		Optional<Inspection> found = findOwn(id);
		if (found.isEmpty() || !ask("forget", () -> searchable().forget(id))) {
			return false;
		}
		this.listeners.publish(new IdempotencyEvent.Forgotten(found.get().summary().key().operation(), id));
		return true;
	}

	/**
	 * Settles an abandoned key: takes it over, as a further attempt would, and completes
	 * or forgets it under that claim. So there is one winner. An attempt that took the
	 * key over before keeps it, a later one finds it settled, and an owner that had only
	 * stalled is superseded.
	 * @param key the key, with its namespace
	 * @param policy how its operation is protected
	 * @param conclusion what was found out about the attempt
	 * @return whether it was settled
	 * @throws IdempotencyStoreException if the store failed; read the key to see whether
	 * it was settled
	 * @throws dev.idempotency.ResultTooLargeException if the store cannot hold the result
	 * @throws UnsupportedOperationException if the store cannot be inspected
	 */
	public Settlement settle(IdempotencyKey key, OperationPolicy policy, Conclusion conclusion) {
		Optional<Inspection> found = this.guarded.find(key);
		if (found.isEmpty()) {
			return Settlement.NOT_FOUND;
		}
		RecordState state = found.get().status().state();
		if (!state.isOutcomeUnknown()) {
			return refusal(state == RecordState.COMPLETED);
		}
		ClaimResult answer = this.guarded.claim(takeover(key, found.get().fingerprint(), policy));
		if (answer instanceof ClaimResult.Refused refused) {
			return refusal(refused.record() instanceof IdempotencyRecord.Completed);
		}
		Claim claim = ((ClaimResult.Granted) answer).claim();
		if (claim.attempt() == 1) {
			// Forgotten between find and claim
			this.guarded.release(claim);
			return Settlement.NOT_FOUND;
		}
		if (!conclude(claim, conclusion, policy)) {
			return Settlement.IN_PROGRESS;
		}
		this.listeners.publish(new IdempotencyEvent.Settled(key.scope().operation(), RecordId.of(key), conclusion));
		return Settlement.SETTLED;
	}

	private static Settlement refusal(boolean completed) {
		return completed ? Settlement.COMPLETED : Settlement.IN_PROGRESS;
	}

	private Attempt takeover(IdempotencyKey key, Fingerprint fingerprint, OperationPolicy policy) {
		return new Attempt(key, fingerprint, OperationPolicy.of(policy.ttl(), policy.lease()))
			.in(this.listeners.currentTrace());
	}

	private boolean conclude(Claim claim, Conclusion conclusion, OperationPolicy policy) {
		if (conclusion instanceof Conclusion.NotDone) {
			return this.guarded.forget(claim);
		}
		StoredResult given = ((Conclusion.Done) conclusion).result();
		try {
			return this.guarded.complete(claim, given.isTombstone() ? given : this.guarded.pack(claim.key(), given),
					policy.lease());
		}
		catch (ResultTooLargeException ex) {
			// Leaves the key abandoned
			this.guarded.release(claim);
			throw ex;
		}
	}

	/**
	 * Settles the key of a record, in the same way.
	 * @param policy how its operation is protected
	 * @param conclusion what was found out about the attempt
	 * @return whether it was settled
	 * @throws IdempotencyStoreException if the store failed; read the record to see
	 * whether it was settled
	 * @throws dev.idempotency.ResultTooLargeException if the store cannot hold the result
	 * @throws UnsupportedOperationException if the store cannot be searched, or the key
	 * is too long to be stored in full
	 */
	public Settlement settle(RecordId id, OperationPolicy policy, Conclusion conclusion) {
		RecordSummary record = findOwn(id).map(Inspection::summary).orElse(null);
		if (record == null) {
			return Settlement.NOT_FOUND;
		}
		IdempotencyKey key = keyOf(record);
		if (key == null) {
			throw new UnsupportedOperationException(
					"The key of the record is too long to be stored in full: settle it in the application, with Idempotency");
		}
		return at(id, () -> settle(key, policy, conclusion));
	}

	/**
	 * Runs an action in the place of a record.
	 */
	private <T> T at(RecordId id, Supplier<T> work) {
		return (this.store instanceof RoutingStore routing)
				? routing.at(ask("find", () -> Optional.ofNullable(routing.placeOf(id))).orElse(null), work)
				: work.get();
	}

	private @Nullable StoredResult readable(Inspection found) {
		StoredResult result = found.result();
		IdempotencyKey key = keyOf(found.summary());
		if (result == null || key == null) {
			return null;
		}
		try {
			return this.settings.packing().unpack(key, result);
		}
		catch (UnreadableResultException | UnsupportedFormatException ex) {
			return null;
		}
	}

	/**
	 * The key of a record, unless it is too long to be stored in full.
	 */
	private static @Nullable IdempotencyKey keyOf(RecordSummary record) {
		KeyDescription parts = record.key();
		try {
			IdempotencyKey key = new IdempotencyKey(
					new IdempotencyScope(parts.namespace(), parts.operation(), parts.principal(), parts.tenant()),
					parts.key());
			return RecordId.of(key).equals(record.id()) ? key : null;
		}
		catch (IllegalArgumentException ex) {
			// Not written by this library
			return null;
		}
	}

	private SearchableStore searchable() {
		if (this.store instanceof SearchableStore searchable) {
			return searchable;
		}
		throw new UnsupportedOperationException(
				"%s cannot be searched: it is not a SearchableStore".formatted(this.store.getClass().getName()));
	}

	private static <T> T ask(String verb, Supplier<T> question) {
		try {
			return question.get();
		}
		catch (IdempotencyException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw new IdempotencyStoreException("The idempotency store failed to %s records".formatted(verb), ex);
		}
	}

}
