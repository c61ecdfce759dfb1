package dev.idempotency.store.memory;

import java.time.Clock;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import org.jspecify.annotations.Nullable;

/**
 * The keys in progress. One that is over is not there for anybody. Since nearly all are
 * completed long before that, no wheel keeps their time: whoever changes one that is over
 * drops it, and now and then all are looked at.
 */
final class RunningKeys {

	/**
	 * Rare enough to cost nothing, often enough that what is over does not pile up.
	 */
	static final int CHANGES_BETWEEN_SWEEPS = 1 << 13;

	private final ConcurrentMap<IdempotencyKey, RunningEntry> entries = new ConcurrentHashMap<>();

	private final AtomicInteger changes = new AtomicInteger();

	private final Clock clock;

	RunningKeys(Clock clock) {
		this.clock = clock;
	}

	@Nullable RunningEntry get(IdempotencyKey key) {
		RunningEntry entry = this.entries.get(key);
		return (entry != null && !isOver(entry, this.clock.millis())) ? entry : null;
	}

	/**
	 * Changes a key while nobody else does.
	 * @return what is there now
	 */
	@Nullable RunningEntry change(IdempotencyKey key, Change change) {
		RunningEntry entry = this.entries.compute(key, (k, current) -> apply(change, current));
		if (this.changes.incrementAndGet() % CHANGES_BETWEEN_SWEEPS == 0) {
			sweep();
		}
		return entry;
	}

	/**
	 * Changes a key, while nobody else does, if the claim still holds it.
	 * @return whether it does
	 */
	boolean changeIfHeld(Claim claim, HeldChange change) {
		AtomicBoolean held = new AtomicBoolean();
		this.entries.computeIfPresent(claim.key(), (key, current) -> apply((entry, now) -> {
			if (entry == null || !entry.isOwnedBy(claim.owner())) {
				return entry;
			}
			held.setPlain(true);
			return change.apply(entry, now);
		}, current));
		return held.getPlain();
	}

	private @Nullable RunningEntry apply(Change change, @Nullable RunningEntry current) {
		// Read in here: a claim that had to wait for its turn gets its whole lease
		long now = this.clock.millis();
		return change.apply((current != null && isOver(current, now)) ? null : current, now);
	}

	private void sweep() {
		long now = this.clock.millis();
		this.entries.forEach((key, entry) -> {
			if (isOver(entry, now)) {
				this.entries.remove(key, entry);
			}
		});
	}

	void forEach(BiConsumer<IdempotencyKey, RunningEntry> action) {
		long now = this.clock.millis();
		this.entries.forEach((key, entry) -> {
			if (!isOver(entry, now)) {
				action.accept(key, entry);
			}
		});
	}

	/**
	 * The keys, also of what is over and still there.
	 */
	Stream<IdempotencyKey> keys() {
		return this.entries.keySet().stream();
	}

	private static boolean isOver(RunningEntry entry, long now) {
		return entry.expires() <= now;
	}

	/**
	 * Makes of what is there, and of the time, what is to be there.
	 */
	@FunctionalInterface
	interface Change {

		@Nullable RunningEntry apply(@Nullable RunningEntry entry, long now);

	}

	/**
	 * The same for a key that is held.
	 */
	@FunctionalInterface
	interface HeldChange {

		@Nullable RunningEntry apply(RunningEntry entry, long now);

	}

}
