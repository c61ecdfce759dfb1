package dev.idempotency.actuate;

import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import dev.idempotency.RecordState;
import dev.idempotency.core.Records;
import dev.idempotency.store.SearchableStore.Count;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The number of abandoned keys of the application, as counted last. A count may take the
 * store a second, so callers get the previous number while another thread counts. The
 * next count waits for much longer than the last one took.
 */
final class AbandonedKeys {

	static final Duration REST = Duration.ofMinutes(1);

	/**
	 * The pause after a count, as a multiple of the time that it took.
	 */
	static final int PARTS = 600;

	private static final Logger logger = LoggerFactory.getLogger(AbandonedKeys.class);

	private final Records records;

	private final Clock clock;

	private final Executor executor;

	private final AtomicBoolean counting = new AtomicBoolean();

	private volatile @Nullable Map<RecordState, Long> counted;

	private volatile long nextCount = Long.MIN_VALUE;

	AbandonedKeys(Records records, Clock clock, Executor executor) {
		this.records = records;
		this.clock = clock;
		this.executor = executor;
	}

	/**
	 * Returns the number that was counted last, and starts a new count if one is due.
	 * @param state the state of the keys to count
	 * @return NaN if nothing has been counted yet, the store failed, or it cannot be
	 * searched
	 */
	double number(RecordState state) {
		if (this.records.areSearchable() && this.clock.millis() >= this.nextCount
				&& this.counting.compareAndSet(false, true)) {
			try {
				this.executor.execute(this::count);
			}
			catch (Throwable ex) {
				// Without a thread now, a later call tries again
				this.counting.set(false);
				throw ex;
			}
		}
		Map<RecordState, Long> known = this.counted;
		return (known != null) ? known.getOrDefault(state, 0L) : Double.NaN;
	}

	private void count() {
		try {
			long begun = this.clock.millis();
			this.counted = countNow();
			long ended = this.clock.millis();
			this.nextCount = ended + Math.max(REST.toMillis(), PARTS * (ended - begun));
		}
		finally {
			this.counting.set(false);
		}
	}

	private @Nullable Map<RecordState, Long> countNow() {
		try {
			return this.records.count()
				.counts()
				.stream()
				.collect(Collectors.groupingBy(Count::state, Collectors.summingLong(Count::number)));
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Abandoned keys could not be counted", ex);
			return null;
		}
	}

	/**
	 * Starts a new thread for each count, since counts are rare.
	 */
	static void onThreadOfItsOwn(Runnable count) {
		Thread thread = new Thread(count, "idempotency-abandoned-keys");
		thread.setDaemon(true);
		thread.start();
	}

}
