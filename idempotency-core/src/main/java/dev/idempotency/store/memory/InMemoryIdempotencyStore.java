package dev.idempotency.store.memory;

import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.NotifyingStore;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.ShutdownAwareStore;
import dev.idempotency.store.StoredResult;
import dev.idempotency.store.Waiters;
import org.jspecify.annotations.Nullable;

/**
 * A store in the memory of one process: for tests, for one instance, and for what may be
 * forgotten at a restart.
 * <p>
 * Keys in progress and results are kept apart. A key in progress is never evicted; it
 * goes when its ttl is over. Results are bounded, see {@link CompletedResults}. Every
 * change of a key happens inside {@link RunningKeys#change}, which is what makes the two
 * maps one; a replay only reads the results, without any lock, unless it extends one.
 */
public final class InMemoryIdempotencyStore implements SearchableStore, NotifyingStore, ShutdownAwareStore {

	private final Clock clock;

	private final RunningKeys running;

	private final CompletedResults completed;

	private final MemorySearch search;

	private final Waiters<IdempotencyKey> waiters = new Waiters<>();

	private final long storeId = UUID.randomUUID().getMostSignificantBits();

	private final AtomicLong claims = new AtomicLong();

	/**
	 * Create an empty store.
	 * @param limits how much it remembers
	 * @param clock tells when a lease or a ttl is over
	 * @param evictionListener told when a result is forgotten before its time
	 */
	public InMemoryIdempotencyStore(MemoryLimits limits, Clock clock, EvictionListener evictionListener) {
		this.clock = clock;
		this.running = new RunningKeys(clock);
		this.completed = new CompletedResults(limits, clock, evictionListener);
		this.search = new MemorySearch(this.running, this.completed, clock);
	}

	@Override
	public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
		while (true) {
			CompletedEntry result = this.completed.get(key);
			if (result != null && terms.onReplay() == OnReplay.EXTEND) {
				result = extend(key, fingerprint, terms.ttl());
			}
			if (result != null) {
				boolean counts = terms.onReplay() == OnReplay.COUNT && result.fingerprint().equals(fingerprint);
				return new ClaimResult.Refused(counts ? result.replayed() : result.toRecord());
			}
			UUID owner = new UUID(this.storeId, this.claims.incrementAndGet());
			RunningEntry entry = this.running.change(key, (current, now) -> {
				if (current == null) {
					return isCompleted(key) ? null : RunningEntry.first(owner, fingerprint, terms, now);
				}
				return current.mayBeTakenOver(fingerprint, terms, now) ? current.takenOver(owner, terms, now) : current;
			});
			if (entry != null) {
				return entry.isOwnedBy(owner) ? new ClaimResult.Granted(new Claim(key, owner, entry.attempt()))
						: new ClaimResult.Refused(entry.toRecord(this.clock.millis()));
			}
			// Completed between the two looks: the next turn finds its result
		}
	}

	/**
	 * Lets the ttl of a result run anew if it is for the same fingerprint.
	 * @return the result, or {@code null} if it is no longer there
	 */
	private @Nullable CompletedEntry extend(IdempotencyKey key, Fingerprint fingerprint, Duration ttl) {
		AtomicReference<@Nullable CompletedEntry> result = new AtomicReference<>();
		// A change like any other: while it goes on, nobody finds the result over and
		// claims its key
		this.running.change(key, (entry, now) -> {
			result.setPlain(this.completed.extend(key, fingerprint, now + ttl.toMillis()));
			return entry;
		});
		return result.getPlain();
	}

	private boolean isCompleted(IdempotencyKey key) {
		return this.completed.get(key) != null;
	}

	@Override
	public boolean renew(Claim claim, Duration lease) {
		return this.running.changeIfHeld(claim, (entry, now) -> entry.renewed(lease, now));
	}

	@Override
	public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
		this.completed.requireRoomFor(claim.key(), result);
		boolean held = this.running.changeIfHeld(claim, (entry, now) -> {
			this.completed.put(claim.key(), entry.completed(result, atLeast, now));
			return null;
		});
		if (held) {
			this.waiters.wakeUp(claim.key());
			this.completed.evictOverflow();
		}
		return held;
	}

	@Override
	public boolean release(Claim claim) {
		return give(claim, RunningEntry::released);
	}

	@Override
	public boolean forget(Claim claim) {
		return give(claim, (entry, now) -> null);
	}

	private boolean give(Claim claim, RunningKeys.HeldChange change) {
		boolean held = this.running.changeIfHeld(claim, change);
		if (held) {
			this.waiters.wakeUp(claim.key());
		}
		return held;
	}

	@Override
	public Optional<Inspection> find(IdempotencyKey key) {
		return this.search.find(key);
	}

	@Override
	public boolean forget(IdempotencyKey key) {
		AtomicBoolean found = new AtomicBoolean();
		this.running.change(key, (entry, now) -> {
			boolean wasCompleted = this.completed.remove(key);
			found.setPlain(entry != null || wasCompleted);
			return null;
		});
		if (found.getPlain()) {
			this.waiters.wakeUp(key);
		}
		return found.getPlain();
	}

	@Override
	public Found search(RecordFilter filter, int offset, int limit) {
		return this.search.search(filter, offset, limit);
	}

	@Override
	public Counts count(String namespace) {
		return this.search.count(namespace);
	}

	@Override
	public Optional<Inspection> find(RecordId id) {
		return this.search.keyOf(id).flatMap(this::find);
	}

	@Override
	public boolean forget(RecordId id) {
		return this.search.keyOf(id).filter(this::forget).isPresent();
	}

	@Override
	public Subscription subscribe(IdempotencyKey key, Runnable wakeUp) {
		return this.waiters.add(key, wakeUp);
	}

	@Override
	public Loss lostAtShutdown() {
		return Loss.RECORDS;
	}

}
