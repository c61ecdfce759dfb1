package dev.idempotency.core;

import java.time.Clock;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.PurgeableStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes expired records from a store that does not do so itself, in rounds, on one
 * thread.
 * <p>
 * A round removes one batch after the other until nothing is left. After each batch it
 * rests for as long as the batch took, so that at least half of the time belongs to other
 * work.
 */
public final class RecordPurger implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(RecordPurger.class);

	private static final long SHORTEST_REST = 10;

	private static final long REST_AFTER_ERROR = TimeUnit.SECONDS.toNanos(1);

	private final PurgeableStore store;

	private final PurgeSettings settings;

	private final Clock clock;

	private final ThreadFactory threads;

	private @Nullable Thread thread;

	private volatile boolean closed;

	private long removed;

	/**
	 * Create a purger, which does nothing before it is {@linkplain #start() started}.
	 * @param settings how often, and how many at once
	 */
	public RecordPurger(PurgeableStore store, PurgeSettings settings) {
		this(store, settings, new MonotonicClock(), RecordPurger::newThread);
	}

	/**
	 * For tests that purge themselves.
	 */
	RecordPurger(PurgeableStore store, PurgeSettings settings, Clock clock, ThreadFactory threads) {
		this.store = store;
		this.settings = settings;
		this.clock = clock;
		this.threads = threads;
	}

	private static Thread newThread(Runnable task) {
		Thread thread = new Thread(task, "idempotency-record-purger");
		thread.setDaemon(true);
		return thread;
	}

	/**
	 * Starts to purge, after a random part of the interval. Does nothing if the purger is
	 * closed or the interval is zero.
	 */
	public synchronized void start() {
		if (this.thread == null && !this.closed && !this.settings.isOff()) {
			this.thread = this.threads.newThread(this::run);
			this.thread.start();
		}
	}

	private void run() {
		while (!this.closed) {
			try {
				purgeUntilClosed();
			}
			catch (Throwable ex) {
				// The failure could not even be logged. Records would pile up without
				// this thread
				LockSupport.parkNanos(this, REST_AFTER_ERROR);
			}
		}
	}

	private void purgeUntilClosed() {
		long next = this.clock.millis() + this.settings.firstPause(ThreadLocalRandom.current());
		while (!this.closed) {
			// An interrupt has no meaning here, and would prevent resting
			Thread.interrupted();
			long wait = next - this.clock.millis();
			if (wait > 0) {
				LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(wait));
				continue;
			}
			next = purgeBatch();
		}
	}

	/**
	 * Removes one batch.
	 * @return when to remove the next one
	 */
	long purgeBatch() {
		long start = this.clock.millis();
		if (removeBatch()) {
			long end = this.clock.millis();
			return end + Math.max(SHORTEST_REST, end - start);
		}
		if (this.removed > 0) {
			logger.debug("Removed {} expired records", this.removed);
			this.removed = 0;
		}
		return this.clock.millis() + this.settings.nextPause(ThreadLocalRandom.current());
	}

	/**
	 * Removes one batch.
	 * @return whether there may be more to remove in this round
	 */
	private boolean removeBatch() {
		try {
			int count = this.store.purge(this.settings.batch());
			this.removed += count;
			return count >= this.settings.batch();
		}
		catch (Throwable ex) {
			failed(ex);
			return false;
		}
	}

	private void failed(Throwable ex) {
		// A store that is closed at the same time is expected to fail
		if (!this.closed) {
			logger.warn("Expired records could not be removed; trying again in about {}: {}", this.settings.interval(),
					ex.toString());
		}
		logger.debug("The failure in full", ex);
	}

	/**
	 * Stops, at the latest after the current batch.
	 */
	@Override
	public synchronized void close() {
		this.closed = true;
		LockSupport.unpark(this.thread);
	}

}
