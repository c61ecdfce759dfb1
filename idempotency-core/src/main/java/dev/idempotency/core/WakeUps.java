package dev.idempotency.core;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.NotifyingStore.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * Lets one thread sleep until the store notifies it or it is time to poll again. Uses a
 * semaphore, because that pins no virtual thread.
 */
final class WakeUps implements AutoCloseable {

	private final Semaphore signals = new Semaphore(0);

	private final @Nullable Subscription subscription;

	private final Pauses pauses;

	WakeUps(GuardedStore store, IdempotencyKey key) {
		this.subscription = store.subscribe(key, this.signals::release);
		this.pauses = new Pauses(this.subscription != null);
	}

	/**
	 * Sleeps, longer each time.
	 * @return {@code false} if the thread was interrupted; its interrupt status is set
	 */
	boolean sleepAtMost(Duration limit) {
		try {
			if (this.signals.tryAcquire(this.pauses.next(limit).toNanos(), TimeUnit.NANOSECONDS)) {
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
		if (this.subscription != null) {
			this.subscription.close();
		}
	}

}
