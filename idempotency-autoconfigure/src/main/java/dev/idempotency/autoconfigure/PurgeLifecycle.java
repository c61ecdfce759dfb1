package dev.idempotency.autoconfigure;

import dev.idempotency.core.PurgeSettings;
import dev.idempotency.core.RecordPurger;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.PurgeableStore;
import org.jspecify.annotations.Nullable;

import org.springframework.context.SmartLifecycle;

/**
 * Purges while the application runs, if its store needs it, which is known only when the
 * store exists. It starts after all beans and schemas are ready, and stops before any is
 * destroyed.
 */
final class PurgeLifecycle implements SmartLifecycle {

	private final IdempotencyStore store;

	private final PurgeSettings settings;

	private @Nullable RecordPurger purger;

	PurgeLifecycle(IdempotencyStore store, PurgeSettings settings) {
		this.store = store;
		this.settings = settings;
	}

	@Override
	public synchronized void start() {
		if (this.purger == null && this.store instanceof PurgeableStore purgeable
				&& !this.settings.interval().isZero()) {
			this.purger = new RecordPurger(purgeable, this.settings);
			this.purger.start();
		}
	}

	@Override
	public synchronized void stop() {
		if (this.purger != null) {
			this.purger.close();
			this.purger = null;
		}
	}

	@Override
	public synchronized boolean isRunning() {
		return this.purger != null;
	}

}
