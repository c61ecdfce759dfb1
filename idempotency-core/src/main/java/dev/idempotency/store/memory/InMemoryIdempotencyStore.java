package dev.idempotency.store.memory;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.InspectableStore.Inspection;
import dev.idempotency.store.KeyDescription;
import dev.idempotency.store.NewestRecords;
import dev.idempotency.store.NotifyingStore;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.RecordTally;
import dev.idempotency.store.SearchableStore.Counts;
import dev.idempotency.store.SearchableStore.Found;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.ShutdownAwareStore;
import dev.idempotency.store.StoredResult;
import dev.idempotency.store.Waiters;
import org.jspecify.annotations.Nullable;

/**
 * A store in the memory of one process: for tests, for single instances, and for results
 * that may be lost at a restart.
 * <p>
 * A key has one {@linkplain MemoryRecord record} with a lock of its own. A replay takes
 * no lock, unless it counts or extends. {@link MemoryRecords} limits the number of
 * results.
 */
public final class InMemoryIdempotencyStore implements SearchableStore, NotifyingStore, ShutdownAwareStore {

	private final Clock clock;

	private final MemoryRecords records;

	private final Waiters<IdempotencyKey> waiters = new Waiters<>();

	private final long storeId = UUID.randomUUID().getMostSignificantBits();

	/**
	 * Create an empty store.
	 * @param limits how much it stores
	 * @param clock tells when a lease or a ttl expires
	 * @param evictionListener called when a result is evicted before its ttl expires
	 */
	public InMemoryIdempotencyStore(MemoryLimits limits, Clock clock, EvictionListener evictionListener) {
		this.clock = clock;
		this.records = new MemoryRecords(limits, clock, evictionListener);
	}

	@Override
	public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
		MemoryRecord there = this.records.get(key);
		if (there != null) {
			ClaimResult read = there.tryToRead(terms, this.clock.millis());
			if (read != null) {
				return read;
			}
		}
		UUID owner = new UUID(this.storeId, this.records.nextClaim());
		while (true) {
			if (there == null) {
				there = this.records.addIfAbsent(new MemoryRecord(key, fingerprint, owner, terms, this.clock.millis()));
				if (there == null) {
					return new ClaimResult.Granted(new Claim(key, owner, 1));
				}
			}
			long now = this.clock.millis();
			ClaimResult result = there.claim(owner, fingerprint, terms, now);
			if (result != null) {
				return result;
			}
			this.records.dropIfOver(there, now);
			there = null;
		}
	}

	@Override
	public boolean renew(Claim claim, Duration lease) {
		MemoryRecord record = this.records.get(claim.key());
		return record != null && record.renew(claim.owner(), lease, this.clock.millis());
	}

	@Override
	public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
		this.records.requireRoomFor(claim.key(), result);
		MemoryRecord record = this.records.get(claim.key());
		long now = this.clock.millis();
		if (record == null || !record.complete(claim.owner(), result, atLeast, now)) {
			return false;
		}
		this.waiters.wakeUp(claim.key());
		this.records.completed(record, now);
		return true;
	}

	@Override
	public boolean release(Claim claim) {
		MemoryRecord record = this.records.get(claim.key());
		return ended(record, record != null && record.release(claim.owner(), this.clock.millis()));
	}

	@Override
	public boolean abandon(Claim claim) {
		MemoryRecord record = this.records.get(claim.key());
		return ended(record, record != null && record.abandon(claim.owner(), this.clock.millis()));
	}

	@Override
	public boolean forget(Claim claim) {
		MemoryRecord record = this.records.get(claim.key());
		return ended(record, record != null && record.vanishIfHeld(claim.owner(), this.clock.millis()));
	}

	private boolean ended(@Nullable MemoryRecord record, boolean held) {
		if (record != null && held) {
			if (record.isGone()) {
				this.records.dropped(record);
			}
			this.waiters.wakeUp(record.key());
		}
		return held;
	}

	@Override
	public Optional<Inspection> find(IdempotencyKey key) {
		MemoryRecord record = this.records.get(key);
		long now = this.clock.millis();
		return (record == null || record.isOver(now)) ? Optional.empty() : Optional.of(record.inspect(now));
	}

	@Override
	public boolean forget(IdempotencyKey key) {
		MemoryRecord record = this.records.get(key);
		boolean forgotten = record != null && this.records.forget(record);
		if (forgotten) {
			this.waiters.wakeUp(key);
		}
		return forgotten;
	}

	@Override
	public Found search(RecordFilter filter, int offset, int limit) {
		NewestRecords newest = new NewestRecords(offset, limit);
		long now = this.clock.millis();
		Instant moment = Instant.ofEpochMilli(now);
		this.records.forEach((record) -> {
			// The cheap checks first
			if (record.created() < newest.floor().toEpochMilli()
					|| (filter.state() != null && filter.state() != record.state(now))) {
				return;
			}
			RecordSummary summary = record.summarize(now);
			if (filter.matches(summary, moment)) {
				newest.add(summary);
			}
		});
		return new Found(newest.page(), true);
	}

	@Override
	public Counts count(String namespace) {
		String wanted = RecordFilter.all(namespace).namespace();
		RecordTally tally = new RecordTally();
		long now = this.clock.millis();
		this.records.forEach((record) -> {
			KeyDescription description = KeyDescription.of(record.key());
			if (description.namespace().equals(wanted)) {
				tally.add(description.operation(), record.state(now), 1);
			}
		});
		return tally.counts();
	}

	@Override
	public Optional<Inspection> find(RecordId id) {
		return keyOf(id).flatMap(this::find);
	}

	@Override
	public boolean forget(RecordId id) {
		return keyOf(id).filter(this::forget).isPresent();
	}

	private Optional<IdempotencyKey> keyOf(RecordId id) {
		AtomicReference<@Nullable IdempotencyKey> found = new AtomicReference<>();
		this.records.forEach((record) -> {
			if (RecordId.of(record.key()).equals(id)) {
				found.setPlain(record.key());
			}
		});
		return Optional.ofNullable(found.getPlain());
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
