package dev.idempotency.actuate;

import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.idempotency.RecordState;
import dev.idempotency.core.Records;
import dev.idempotency.store.SearchableStore.Count;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many keys of the application are abandoned, as it was a while ago. Counting may
 * take a store a second: so whoever asks is given what was counted before, the count goes
 * on elsewhere, and then rests for much longer than it took.
 */
final class AbandonedKeys {

	static final Duration REST = Duration.ofMinutes(1);

	/**
	 * A count takes one part in so many of the store's time.
	 */
	static final int PARTS = 600;

	private static final Logger logger = LoggerFactory.getLogger(AbandonedKeys.class);

	private final Records records;

	private final Clock clock;

	private final Executor executor;

	private final AtomicBoolean counting = new AtomicBoolean();

	private volatile double counted = Double.NaN;

	private volatile long nextCount = Long.MIN_VALUE;

	AbandonedKeys(Records records, Clock clock, Executor executor) {
		this.records = records;
		this.clock = clock;
		this.executor = executor;
	}

	/**
	 * What was counted last.
	 * @return not a number if nothing has been counted yet, the store failed, or it
	 * cannot be looked through
	 */
	double number() {
		if (this.records.areSearchable() && this.clock.millis() >= this.nextCount
				&& this.counting.compareAndSet(false, true)) {
			try {
				this.executor.execute(this::count);
			}
			catch (Throwable ex) {
				// There may be no thread to be had now, and one later
				this.counting.set(false);
				throw ex;
			}
		}
		return this.counted;
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

	private double countNow() {
		try {
			return this.records.count()
				.counts()
				.stream()
				.filter((count) -> count.state() == RecordState.ABANDONED)
				.mapToLong(Count::number)
				.sum();
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Abandoned keys could not be counted", ex);
			return Double.NaN;
		}
	}

	/**
	 * A thread for each count, since there are few.
	 */
	static void onThreadOfItsOwn(Runnable count) {
		Thread thread = new Thread(count, "idempotency-abandoned-keys");
		thread.setDaemon(true);
		thread.start();
	}

}
