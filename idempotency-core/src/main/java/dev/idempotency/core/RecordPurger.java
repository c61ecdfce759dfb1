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
 * Removes records whose time is over from a store that does not do so itself, in rounds,
 * from one thread.
 * <p>
 * A round removes one batch after the other until nothing is left. After each it rests
 * for as long as the batch took, so that however much there is to remove, at least half
 * of the time belongs to everyone else.
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
	 * @param store where to remove records
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
	 * Begins to purge, after some part of the interval. Once closed it cannot begin
	 * again; where the interval is zero it never does.
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
				// Not even that could be logged, and records would pile up without this
				// thread
				LockSupport.parkNanos(this, REST_AFTER_ERROR);
			}
		}
	}

	private void purgeUntilClosed() {
		long next = this.clock.millis() + this.settings.firstPause(ThreadLocalRandom.current());
		while (!this.closed) {
			// An interrupt is not for us, and would keep us from resting
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
			logger.debug("Removed {} records whose time was over", this.removed);
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
		// A store that is closed under our hands is no news
		if (!this.closed) {
			logger.warn("Records whose time is over could not be removed; trying again in about {}: {}",
					this.settings.interval(), ex.toString());
		}
		logger.debug("The failure in full", ex);
	}

	/**
	 * Stops, at the latest when the batch that is being removed has been.
	 */
	@Override
	public synchronized void close() {
		this.closed = true;
		LockSupport.unpark(this.thread);
	}

}
