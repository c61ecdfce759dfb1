package dev.idempotency.store.memory;

import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy.VarExpiration;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.ResultTooLargeException;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The results, bounded by their number and their bytes.
 * <p>
 * When there are too many, those nearest to the end of their ttl go first. Caffeine's own
 * eviction is not used, because it prefers what has been read often to what is new, and a
 * new result is the one whose retry is still to come.
 */
final class CompletedResults {

	private static final Logger logger = LoggerFactory.getLogger(CompletedResults.class);

	private static final int FOUND_TOGETHER = 64;

	private static final long UNKNOWN = Long.MIN_VALUE;

	private final MemoryLimits limits;

	private final EvictionListener evictionListener;

	private final Cache<IdempotencyKey, CompletedEntry> cache;

	private final VarExpiration<IdempotencyKey, CompletedEntry> byExpiry;

	private final AtomicLong entries = new AtomicLong();

	private final AtomicLong bytes = new AtomicLong();

	/**
	 * Held by whoever evicts. The others need not wait, since that one looks again when
	 * it is done.
	 */
	private final ReentrantLock evicting = new ReentrantLock();

	/**
	 * The next to go, for whoever evicts: the oldest one alone takes nearly as long to
	 * find.
	 */
	private final Deque<Oldest> next = new ArrayDeque<>();

	/**
	 * When the last of the next to go is over: what is over before belongs among them.
	 */
	private final AtomicLong nextUntil = new AtomicLong(UNKNOWN);

	private final AtomicBoolean evictionLogged = new AtomicBoolean();

	CompletedResults(MemoryLimits limits, Clock clock, EvictionListener evictionListener) {
		this.limits = limits;
		this.evictionListener = evictionListener;
		// Upkeep happens on the calling thread, so that the store needs none of its own
		this.cache = Caffeine.newBuilder()
			.ticker(() -> TimeUnit.MILLISECONDS.toNanos(clock.millis()))
			.executor(Runnable::run)
			.expireAfter(new ResultExpiry())
			.removalListener(this::removed)
			.build();
		this.byExpiry = this.cache.policy().expireVariably().orElseThrow();
	}

	@Nullable CompletedEntry get(IdempotencyKey key) {
		return this.cache.getIfPresent(key);
	}

	void forEach(BiConsumer<IdempotencyKey, CompletedEntry> action) {
		this.cache.asMap().forEach(action);
	}

	Stream<IdempotencyKey> keys() {
		return this.cache.asMap().keySet().stream();
	}

	void requireRoomFor(IdempotencyKey key, StoredResult result) {
		long needed = CompletedEntry.bytes(key, result);
		if (needed > this.limits.maxBytes()) {
			throw new ResultTooLargeException(
					"The result takes %d bytes, more than the whole store has: raise its max-size (now %d bytes)"
						.formatted(needed, this.limits.maxBytes()));
		}
	}

	void put(IdempotencyKey key, CompletedEntry entry) {
		this.entries.incrementAndGet();
		this.bytes.addAndGet(entry.bytes(key));
		this.cache.put(key, entry);
		if (entry.expires() < this.nextUntil.get()) {
			this.nextUntil.set(UNKNOWN);
		}
	}

	/**
	 * Lets a result live longer if it is for the same fingerprint.
	 * @param expires when it is forgotten at the earliest
	 * @return what is there now, or {@code null} if nothing is
	 */
	@Nullable CompletedEntry extend(IdempotencyKey key, Fingerprint fingerprint, long expires) {
		return this.cache.asMap()
			.computeIfPresent(key,
					(k, entry) -> entry.fingerprint().equals(fingerprint) ? entry.extended(expires) : entry);
	}

	boolean remove(IdempotencyKey key) {
		return this.cache.asMap().remove(key) != null;
	}

	private void removed(@Nullable IdempotencyKey key, @Nullable CompletedEntry entry, RemovalCause cause) {
		// Both are always there: neither keys nor values are weakly referenced. What is
		// replaced was extended, and takes as much as before
		if (key != null && entry != null && cause != RemovalCause.REPLACED) {
			this.entries.decrementAndGet();
			this.bytes.addAndGet(-entry.bytes(key));
		}
	}

	void evictOverflow() {
		boolean found = true;
		while (found && isFull() && this.evicting.tryLock()) {
			try {
				found = evictOldest();
			}
			finally {
				this.evicting.unlock();
			}
		}
	}

	/**
	 * Drops what is over by itself, then, if that was not enough, the oldest.
	 * @return {@code false} if there is nothing to evict: what is counted is still being
	 * put, by a thread that will come here
	 */
	private boolean evictOldest() {
		if (this.next.isEmpty() || this.nextUntil.get() == UNKNOWN) {
			findOldest();
		}
		Oldest oldest = this.next.poll();
		if (oldest == null) {
			return false;
		}
		if (isFull() && removeUnlessExtended(oldest)) {
			evicted(oldest.key());
		}
		return true;
	}

	private void findOldest() {
		// A result that is put from now on may be missed
		this.nextUntil.set(Long.MAX_VALUE);
		this.next.clear();
		this.byExpiry.oldest(FOUND_TOGETHER).forEach((key, entry) -> this.next.add(new Oldest(key, entry.expires())));
		long until = this.next.isEmpty() ? UNKNOWN : this.next.getLast().expires();
		this.nextUntil.compareAndSet(Long.MAX_VALUE, until);
	}

	private boolean removeUnlessExtended(Oldest oldest) {
		CompletedEntry entry = this.cache.policy().getIfPresentQuietly(oldest.key());
		return entry != null && entry.expires() == oldest.expires() && this.cache.asMap().remove(oldest.key(), entry);
	}

	private boolean isFull() {
		return this.entries.get() > this.limits.maxEntries() || this.bytes.get() > this.limits.maxBytes();
	}

	private void evicted(IdempotencyKey key) {
		if (this.evictionLogged.compareAndSet(false, true)) {
			logger.warn(
					"The in-memory idempotency store is full and forgets results before their ttl is over: "
							+ "their keys could run again. Raise its max-entries (now {}) or its max-size "
							+ "(now {} bytes), lower the ttl, or use a shared store. " + "This is logged once.",
					this.limits.maxEntries(), this.limits.maxBytes());
		}
		try {
			this.evictionListener.evicted(key);
		}
		catch (RuntimeException ex) {
			logger.warn("The eviction listener failed", ex);
		}
	}

	/**
	 * A result that is to go; without its bytes, which may be gone long before its turn.
	 */
	private record Oldest(IdempotencyKey key, long expires) {
	}

}
