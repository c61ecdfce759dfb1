package dev.idempotency.core;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import dev.idempotency.store.NotifyingStore.Subscription;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets one thread sleep until a key comes to an end or it is time to look again. A
 * semaphore, because it pins no virtual thread.
 */
final class WakeUps implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(EngineLog.NAME);

	private static final Duration FIRST_PAUSE = Duration.ofMillis(10);

	private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

	private final Semaphore signals = new Semaphore(0);

	private @Nullable Subscription subscription;

	private Duration pause = FIRST_PAUSE;

	void comeFrom(Subscription subscription) {
		this.subscription = subscription;
		// Looking again is only for the signal that got lost
		this.pause = LONGEST_PAUSE;
	}

	void wakeUp() {
		this.signals.release();
	}

	/**
	 * Sleeps, each time a little longer.
	 * @return {@code false} if the thread was interrupted; it is still marked so
	 */
	boolean sleepAtMost(Duration limit) {
		Duration time = (limit.compareTo(this.pause) < 0) ? limit : this.pause;
		Duration doubled = this.pause.multipliedBy(2);
		this.pause = (doubled.compareTo(LONGEST_PAUSE) < 0) ? doubled : LONGEST_PAUSE;
		try {
			if (this.signals.tryAcquire(time.toNanos(), TimeUnit.NANOSECONDS)) {
				this.signals.drainPermits();
			}
			return true;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	@Override
	public void close() {
		if (this.subscription == null) {
			return;
		}
		try {
			this.subscription.close();
		}
		catch (RuntimeException ex) {
			// Whoever waited may hold the key by now, and must not lose it over this
			logger.debug("A subscription could not be ended", ex);
		}
	}

}
