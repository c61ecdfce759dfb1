package dev.idempotency.test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.KeyStatus;
import dev.idempotency.OnCrash;
import dev.idempotency.RecordState;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.JoiningStore;
import dev.idempotency.store.KeyDescription;
import dev.idempotency.store.NewestRecords;
import dev.idempotency.store.NotifyingStore;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.PurgeableStore;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.RecordTally;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.ShutdownAwareStore;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * The plainest store that has every ability, with one of the defects that real stores
 * have had.
 */
class ReferenceStore
		implements SearchableStore, JoiningStore, NotifyingStore, PurgeableStore, ShutdownAwareStore, CallerTransaction {

	private static final ThreadLocal<@Nullable Transaction> transaction = new ThreadLocal<>();

	private final MovableClock clock;

	private final Defect defect;

	private final Map<Object, Row> rows = new HashMap<>();

	private final Map<Runnable, IdempotencyKey> subscriptions = new HashMap<>();

	private long changes;

	ReferenceStore(MovableClock clock, Defect defect) {
		this.clock = clock;
		this.defect = defect;
	}

	@Override
	public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
		if (this.defect == Defect.CLAIM_READS_THEN_WRITES) {
			if (row(key) != null) {
				return claimAtomically(key, fingerprint, terms);
			}
			LockSupport.parkNanos(1000);
			return grant(key, fingerprint, terms, 1);
		}
		if (this.defect == Defect.EXTENDING_READS_THEN_WRITES && terms.onReplay() == OnReplay.EXTEND) {
			Row row = row(key);
			if (row != null && row.result != null && row.fingerprint.equals(fingerprint)) {
				long expires = Math.max(row.expires, now() + terms.ttl().toMillis());
				LockSupport.parkNanos(1_000_000);
				row.expires = expires;
				return new ClaimResult.Refused(row.toRecord(now()));
			}
		}
		return claimAtomically(key, fingerprint, terms);
	}

	private synchronized ClaimResult claimAtomically(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
		Row row = row(key);
		if (this.defect == Defect.EXTENDING_REVIVES_THE_FORGOTTEN && terms.onReplay() == OnReplay.EXTEND) {
			row = this.rows.get(name(key));
		}
		if (row == null) {
			return grant(key, fingerprint, terms, 1);
		}
		if (row.result != null) {
			replay(row, fingerprint, terms);
			return new ClaimResult.Refused(row.toRecord(now()));
		}
		if (this.defect == Defect.EXTENDING_REACHES_THE_RUNNING && terms.onReplay() == OnReplay.EXTEND) {
			extend(row, terms);
		}
		if (row.leaseEnds <= now() && row.pending != null && this.defect != Defect.TAKEOVER_PASSES_TRANSACTIONS) {
			waitForTransaction(row);
			return claimAtomically(key, fingerprint, terms);
		}
		boolean over = row.leaseEnds <= now() && this.defect != Defect.TAKEOVER_NEVER;
		boolean allowed = terms.onCrash() == OnCrash.RETRY || this.defect == Defect.TAKEOVER_DESPITE_TERMS;
		boolean same = row.fingerprint.equals(fingerprint) || this.defect == Defect.TAKEOVER_BY_OTHER_REQUEST;
		if (over && allowed && same) {
			int attempt = (this.defect == Defect.TAKEOVER_IS_NOT_COUNTED) ? 1 : row.attempt + 1;
			return grant(key, fingerprint, terms, attempt);
		}
		return new ClaimResult.Refused(row.toRecord(now()));
	}

	private synchronized void waitForTransaction(Row row) {
		try {
			while (row.pending != null) {
				wait();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	private void replay(Row row, Fingerprint fingerprint, ClaimTerms terms) {
		OnReplay onReplay = terms.onReplay();
		boolean same = row.fingerprint.equals(fingerprint);
		boolean counts = onReplay == OnReplay.COUNT
				|| (onReplay == OnReplay.EXTEND && this.defect == Defect.EXTENDING_COUNTS);
		if ((counts && (same || this.defect == Defect.REPLAYS_COUNT_FOR_OTHERS))
				|| this.defect == Defect.REPLAYS_COUNT_ALWAYS) {
			row.replays++;
		}
		boolean extend = switch (onReplay) {
			case READ -> this.defect == Defect.READING_EXTENDS;
			case COUNT -> this.defect == Defect.COUNTING_EXTENDS;
			case EXTEND -> this.defect != Defect.EXTENDING_DOES_NOTHING;
		};
		if (extend && (same || this.defect == Defect.EXTENDING_SERVES_OTHERS)) {
			extend(row, terms);
		}
	}

	private void extend(Row row, ClaimTerms terms) {
		long expires = now() + terms.ttl().toMillis();
		row.expires = switch (this.defect) {
			case EXTENDING_ADDS_UP -> row.expires + terms.ttl().toMillis();
			case EXTENDING_SHORTENS -> expires;
			default -> Math.max(row.expires, expires);
		};
		if (this.defect == Defect.EXTENDING_COMPLETES_ANEW) {
			row.completed = now();
		}
		if (this.defect == Defect.EXTENDING_LOSES_THE_COUNT) {
			row.replays = 0;
		}
	}

	private synchronized ClaimResult grant(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms, int attempt) {
		Row row = new Row(key, fingerprint, attempt);
		if (this.defect != Defect.OWNERS_ARE_ALIKE) {
			row.owner = UUID.randomUUID();
		}
		Row previous = row(key);
		row.trace = (this.defect == Defect.TRACE_STAYS_THE_FIRST && previous != null) ? previous.trace : terms.trace();
		boolean goesOn = previous != null && attempt > 1 && this.defect != Defect.AGE_RESTARTS_AT_A_TAKEOVER;
		row.created = (goesOn && previous != null) ? previous.created : now();
		row.changed = ++this.changes;
		row.leaseEnds = now() + terms.lease().toMillis();
		row.expires = now() + terms.ttl().toMillis();
		Row before = this.rows.put(name(key), row);
		if (this.defect == Defect.EVERYTHING_JOINS) {
			undoOnRollback(() -> this.rows.put(name(key), before));
		}
		return new ClaimResult.Granted(new Claim(key, row.owner, attempt));
	}

	@Override
	public synchronized boolean renew(Claim claim, Duration lease) {
		Row row = held(claim, Defect.RENEW_IS_UNFENCED);
		if (row == null) {
			return isCompletedInTransaction(claim);
		}
		if (row.pending != null && this.defect == Defect.RENEW_LOSES_TO_TRANSACTIONS) {
			return false;
		}
		row.changed = ++this.changes;
		row.leaseEnds = now() + lease.toMillis();
		if (this.defect != Defect.RENEW_LETS_THE_TTL_RUN_OUT) {
			row.expires = Math.max(row.expires, row.leaseEnds);
		}
		return this.defect != Defect.RENEW_DOES_NOTHING || (row.leaseEnds = 0) == 0;
	}

	private boolean isCompletedInTransaction(Claim claim) {
		Row row = row(claim.key());
		return row != null && row.owner.equals(claim.owner()) && row.completedInTransaction
				&& this.defect != Defect.RENEW_LOSES_TO_COMMITS;
	}

	@Override
	public synchronized boolean complete(Claim claim, StoredResult result, Duration atLeast) {
		Row row = held(claim, Defect.COMPLETE_IS_UNFENCED);
		if (row == null || (this.defect == Defect.COMPLETE_REFUSES_THE_LATE && row.leaseEnds <= now())) {
			return false;
		}
		row.result = result;
		if (this.defect == Defect.RESULTS_ARE_CUT && result.size() > 65_535) {
			row.result = StoredResult.tombstone();
		}
		if (this.defect == Defect.TOMBSTONES_ARE_EMPTY_RESULTS && result.equals(StoredResult.tombstone())) {
			row.result = StoredResult.of(new byte[0]);
		}
		if (this.defect == Defect.FORMAT_IS_LOST) {
			row.result = StoredResult.of(result.toFrame());
		}
		if (this.defect == Defect.TRACE_IS_LOST_ON_COMPLETION) {
			row.trace = null;
		}
		row.completed = now();
		long end = now() + atLeast.toMillis();
		row.expires = switch (this.defect) {
			case COMPLETE_BEGINS_THE_TTL_ANEW -> end;
			case COMPLETE_LEAVES_NO_TIME_TO_RETRY -> row.expires;
			default -> Math.max(row.expires, end);
		};
		wakeUp(claim.key());
		return true;
	}

	@Override
	public synchronized boolean release(Claim claim) {
		Row row = held(claim, Defect.RELEASE_IS_UNFENCED);
		if (row == null) {
			return false;
		}
		if (row.attempt == 1 || this.defect == Defect.RELEASE_FORGETS_THE_CRASH) {
			this.rows.remove(name(claim.key()));
		}
		else {
			row.leaseEnds = now();
			row.owner = (this.defect == Defect.RELEASE_KEEPS_THE_OWNER) ? row.owner : UUID.randomUUID();
		}
		wakeUp(claim.key());
		return true;
	}

	@Override
	public synchronized boolean forget(Claim claim) {
		Row row = held(claim, Defect.FORGET_IS_UNFENCED);
		if (row == null) {
			return false;
		}
		if (this.defect == Defect.FORGET_REMEMBERS_THE_CRASH) {
			return release(claim);
		}
		this.rows.remove(name(claim.key()));
		wakeUp(claim.key());
		return true;
	}

	private @Nullable Row held(Claim claim, Defect unfenced) {
		Row row = row(claim.key());
		if (row == null || this.defect == unfenced) {
			return row;
		}
		return (row.owner.equals(claim.owner()) && row.result == null) ? row : null;
	}

	private synchronized @Nullable Row row(IdempotencyKey key) {
		Row row = this.rows.get(name(key));
		return (row != null && (row.expires > now() || this.defect == Defect.TTL_IS_IGNORED)) ? row : null;
	}

	private Object name(IdempotencyKey key) {
		return switch (this.defect) {
			case KEYS_IGNORE_CASE -> List.of(key.scope(), key.value().toLowerCase(Locale.ROOT));
			case KEYS_ARE_TRIMMED -> List.of(key.scope(), key.value().trim());
			case KEYS_ARE_CUT -> List.of(key.scope(), key.value().substring(0, Math.min(255, key.value().length())));
			case KEYS_IGNORE_THE_CALLER -> List.of(key.scope().namespace(), key.scope().operation(), key.value());
			case KEYS_ARE_GLUED -> key.scope().namespace() + key.scope().operation() + key.scope().principal()
					+ key.scope().tenant() + key.value();
			default -> key;
		};
	}

	@Override
	public synchronized Optional<Inspection> find(IdempotencyKey key) {
		Row row = row(key);
		if (row == null) {
			return Optional.empty();
		}
		if (this.defect == Defect.FIND_TAKES_OVER) {
			row.owner = UUID.randomUUID();
		}
		return Optional.of(row.inspect(now()));
	}

	@Override
	public synchronized boolean forget(IdempotencyKey key) {
		Row row = row(key);
		if (this.defect == Defect.FORGET_SPARES_THE_RUNNING && row != null && row.result == null) {
			return false;
		}
		wakeUp(key);
		return this.rows.remove(name(key)) != null && row != null;
	}

	@Override
	public synchronized Found search(RecordFilter filter, int offset, int limit) {
		NewestRecords newest = new NewestRecords(offset, limit);
		RecordFilter asked = switch (this.defect) {
			case SEARCH_IGNORES_THE_STATE -> filter.withState(null);
			case SEARCH_IGNORES_THE_AGE -> filter.withAge(null, null);
			default -> filter;
		};
		for (Row row : this.rows.values()) {
			RecordSummary record = row.summarize(now());
			boolean over = row.expires <= now() && this.defect != Defect.SEARCH_SHOWS_WHAT_IS_OVER;
			if (!over && asked.matches(record, Instant.ofEpochMilli(now()))) {
				newest.add(record);
			}
			if (this.defect == Defect.SEARCH_TAKES_OVER) {
				row.owner = UUID.randomUUID();
			}
		}
		return new Found(newest.page(), true);
	}

	@Override
	public synchronized Counts count(String namespace) {
		RecordTally tally = new RecordTally();
		this.rows.values()
			.stream()
			.filter((row) -> row.expires > now())
			.map((row) -> row.summarize(now()))
			.filter((record) -> record.key().namespace().equals(namespace)
					|| this.defect == Defect.COUNTS_ALL_APPLICATIONS)
			.forEach((record) -> tally.add(record.key().operation(), record.state(), 1));
		return tally.counts();
	}

	@Override
	public synchronized Optional<Inspection> find(RecordId id) {
		return byId(id).map((row) -> row.inspect(now()));
	}

	@Override
	public synchronized boolean forget(RecordId id) {
		return byId(id).filter((row) -> forget(row.key)).isPresent();
	}

	private Optional<Row> byId(RecordId id) {
		return this.rows.values()
			.stream()
			.filter((row) -> row.expires > now() && RecordId.of(row.key).equals(id))
			.findFirst();
	}

	@Override
	public synchronized int purge(int limit) {
		int count = 0;
		for (Map.Entry<Object, Row> entry : List.copyOf(this.rows.entrySet())) {
			Row row = entry.getValue();
			long end = (this.defect == Defect.PURGE_TAKES_THE_ABANDONED) ? row.leaseEnds : row.expires;
			if (end <= now() && (count < limit || this.defect == Defect.PURGE_IS_UNLIMITED)) {
				this.rows.remove(entry.getKey());
				count++;
			}
		}
		return count;
	}

	@Override
	public synchronized Subscription subscribe(IdempotencyKey key, Runnable wakeUp) {
		Runnable own = () -> wakeUp.run();
		this.subscriptions.put(own, key);
		return () -> {
			if (this.defect != Defect.SUBSCRIPTIONS_LAST) {
				unsubscribe(own);
			}
		};
	}

	private synchronized void unsubscribe(Runnable wakeUp) {
		this.subscriptions.remove(wakeUp);
	}

	private void wakeUp(IdempotencyKey key) {
		this.subscriptions.forEach((wakeUp, subscribed) -> {
			if (subscribed.equals(key) || this.defect == Defect.WAKES_UP_EVERYBODY) {
				wakeUp.run();
			}
		});
	}

	@Override
	public boolean completeInTransaction(Claim claim, StoredResult result, Duration atLeast) {
		return completeInTransaction(claim, result, atLeast, this.defect == Defect.JOINS_NOTHING);
	}

	@Override
	public boolean completeInCallersTransaction(Claim claim, StoredResult result, Duration atLeast) {
		return completeInTransaction(claim, result, atLeast,
				this.defect == Defect.JOINS_NOTHING || this.defect == Defect.JOINS_NO_CALLER);
	}

	private synchronized boolean completeInTransaction(Claim claim, StoredResult result, Duration atLeast,
			boolean atOnce) {
		Transaction current = transaction.get();
		if (atOnce) {
			return complete(claim, result, atLeast);
		}
		if (current == null) {
			throw new IllegalStateException("no transaction");
		}
		Row row = held(claim, Defect.COMPLETE_IS_UNFENCED);
		if (row == null || (row.changed > current.began && this.defect == Defect.TRANSACTIONS_SEE_THE_PAST)) {
			return false;
		}
		Runnable pending = () -> {
			complete(claim, result, atLeast);
			row.completedInTransaction = true;
		};
		row.pending = pending;
		current.undos.push(() -> {
			if (row.pending == pending) {
				row.pending = null;
			}
		});
		current.completions.add(() -> {
			if (row.pending == pending) {
				row.pending = null;
				pending.run();
			}
		});
		return true;
	}

	@Override
	public synchronized boolean afterTransaction(Claim claim) {
		Row row = row(claim.key());
		return switch (this.defect) {
			case AFTERWARDS_RELEASES_NOTHING -> held(claim, Defect.NONE) == null;
			case AFTERWARDS_FORGETS_THE_COMPLETED -> row == null || row.result == null || !forget(claim.key());
			case AFTERWARDS_FREES_THE_SUCCESSORS -> row == null || row.result != null || !forget(claim.key());
			case AFTERWARDS_FORGETS_THE_CRASH ->
				row == null || held(claim, Defect.NONE) == null || !forget(claim.key());
			default -> JoiningStore.super.afterTransaction(claim);
		};
	}

	@Override
	public boolean isInTransaction() {
		return transaction.get() != null || this.defect == Defect.SEES_TRANSACTIONS_EVERYWHERE;
	}

	@Override
	public Loss lostAtShutdown() {
		return Loss.RECORDS;
	}

	@Override
	public void commitAfter(Runnable work) {
		runIn(new Transaction(changes()), work, true);
	}

	@Override
	public void rollBackAfter(Runnable work) {
		runIn(new Transaction(changes()), work, false);
	}

	private synchronized long changes() {
		return this.changes;
	}

	private void runIn(Transaction current, Runnable work, boolean commit) {
		transaction.set(current);
		boolean done = false;
		try {
			work.run();
			done = true;
		}
		finally {
			transaction.remove();
			end((done && commit) ? current.completions : current.undos);
		}
	}

	private synchronized void end(Iterable<Runnable> steps) {
		steps.forEach(Runnable::run);
		notifyAll();
	}

	@Override
	public void undoAfter(Runnable work) {
		Transaction current = Objects.requireNonNull(transaction.get());
		int before = current.undos.size();
		work.run();
		while (current.undos.size() > before) {
			Runnable undo = current.undos.pop();
			if (this.defect != Defect.SAVEPOINTS_UNDO_NOTHING) {
				undo.run();
			}
		}
	}

	private void undoOnRollback(Runnable undo) {
		Transaction current = transaction.get();
		if (current != null) {
			current.undos.push(undo);
		}
	}

	private long now() {
		return this.clock.millis();
	}

	enum Defect {

		NONE, CLAIM_READS_THEN_WRITES, OWNERS_ARE_ALIKE, TAKEOVER_NEVER, TAKEOVER_DESPITE_TERMS,
		TAKEOVER_BY_OTHER_REQUEST, TAKEOVER_IS_NOT_COUNTED, RENEW_IS_UNFENCED, RENEW_DOES_NOTHING,
		RENEW_LETS_THE_TTL_RUN_OUT, COMPLETE_IS_UNFENCED, COMPLETE_REFUSES_THE_LATE, RELEASE_IS_UNFENCED,
		RELEASE_FORGETS_THE_CRASH, RELEASE_KEEPS_THE_OWNER, TTL_IS_IGNORED, COMPLETE_BEGINS_THE_TTL_ANEW,
		COMPLETE_LEAVES_NO_TIME_TO_RETRY, RESULTS_ARE_CUT, TOMBSTONES_ARE_EMPTY_RESULTS, FORMAT_IS_LOST,
		REPLAYS_COUNT_ALWAYS, REPLAYS_COUNT_FOR_OTHERS, READING_EXTENDS, COUNTING_EXTENDS, EXTENDING_DOES_NOTHING,
		EXTENDING_ADDS_UP, EXTENDING_SHORTENS, EXTENDING_SERVES_OTHERS, EXTENDING_COUNTS, EXTENDING_LOSES_THE_COUNT,
		EXTENDING_COMPLETES_ANEW, EXTENDING_REACHES_THE_RUNNING, EXTENDING_REVIVES_THE_FORGOTTEN,
		EXTENDING_READS_THEN_WRITES, KEYS_IGNORE_CASE, KEYS_ARE_TRIMMED, KEYS_ARE_CUT, KEYS_IGNORE_THE_CALLER,
		KEYS_ARE_GLUED, FIND_TAKES_OVER, FORGET_SPARES_THE_RUNNING, FORGET_IS_UNFENCED, FORGET_REMEMBERS_THE_CRASH,
		PURGE_TAKES_THE_ABANDONED, PURGE_IS_UNLIMITED, SUBSCRIPTIONS_LAST, WAKES_UP_EVERYBODY, EVERYTHING_JOINS,
		JOINS_NOTHING, SEES_TRANSACTIONS_EVERYWHERE, AGE_RESTARTS_AT_A_TAKEOVER, TRACE_STAYS_THE_FIRST,
		TRACE_IS_LOST_ON_COMPLETION, SEARCH_IGNORES_THE_STATE, SEARCH_IGNORES_THE_AGE, SEARCH_SHOWS_WHAT_IS_OVER,
		SEARCH_TAKES_OVER, COUNTS_ALL_APPLICATIONS, JOINS_NO_CALLER, TRANSACTIONS_SEE_THE_PAST, SAVEPOINTS_UNDO_NOTHING,
		TAKEOVER_PASSES_TRANSACTIONS, RENEW_LOSES_TO_TRANSACTIONS, RENEW_LOSES_TO_COMMITS, AFTERWARDS_RELEASES_NOTHING,
		AFTERWARDS_FORGETS_THE_COMPLETED, AFTERWARDS_FREES_THE_SUCCESSORS, AFTERWARDS_FORGETS_THE_CRASH

	}

	/**
	 * What is to be done at the end of a transaction, and what it has seen at its
	 * beginning.
	 */
	private static final class Transaction {

		private final Deque<Runnable> undos = new ArrayDeque<>();

		private final List<Runnable> completions = new ArrayList<>();

		private final long began;

		private Transaction(long began) {
			this.began = began;
		}

	}

	private static final class Row {

		private final IdempotencyKey key;

		private final Fingerprint fingerprint;

		private final int attempt;

		private UUID owner = new UUID(0, 0);

		private @Nullable StoredResult result;

		private @Nullable Runnable pending;

		private boolean completedInTransaction;

		private long changed;

		private long created;

		private long completed;

		private long leaseEnds;

		private long expires;

		private long replays;

		private @Nullable String trace;

		private Row(IdempotencyKey key, Fingerprint fingerprint, int attempt) {
			this.key = key;
			this.fingerprint = fingerprint;
			this.attempt = attempt;
		}

		private RecordSummary summarize(long now) {
			RecordState state = (this.result != null) ? RecordState.COMPLETED
					: (this.leaseEnds > now) ? RecordState.IN_PROGRESS : RecordState.ABANDONED;
			KeyStatus status = new KeyStatus(state, this.attempt, Instant.ofEpochMilli(this.created),
					(this.result != null) ? Instant.ofEpochMilli(this.completed) : null,
					Instant.ofEpochMilli(this.expires));
			return new RecordSummary(RecordId.of(this.key), KeyDescription.of(this.key), status,
					Duration.ofMillis((this.result != null) ? 0 : this.leaseEnds - now), this.replays,
					(this.result != null) ? this.result.size() : 0, this.trace);
		}

		private Inspection inspect(long now) {
			return new Inspection(summarize(now), this.fingerprint, this.result);
		}

		private IdempotencyRecord toRecord(long now) {
			return (this.result != null)
					? new IdempotencyRecord.Completed(this.fingerprint, this.attempt, this.result, this.replays,
							this.trace)
					: new IdempotencyRecord.InProgress(this.fingerprint, this.attempt,
							Duration.ofMillis(now - this.created), Duration.ofMillis(this.leaseEnds - now), this.trace);
		}

	}

}
