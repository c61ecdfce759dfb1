package dev.idempotency.store.memory;

import java.time.Clock;
import java.util.concurrent.TimeUnit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.RemovalListener;
import dev.idempotency.IdempotencyKey;

/**
 * Makes maps whose entries know when they are over.
 */
final class ExpiringCache {

	private ExpiringCache() {
	}

	static <E extends Expiring> Cache<IdempotencyKey, E> create(Clock clock,
			RemovalListener<IdempotencyKey, E> listener) {
		// Upkeep happens on the calling thread, so that the store needs none of its own
		return Caffeine.newBuilder()
			.ticker(() -> TimeUnit.MILLISECONDS.toNanos(clock.millis()))
			.executor(Runnable::run)
			.expireAfter(ExpiringCache.<E>expiry())
			.removalListener(listener)
			.build();
	}

	private static <E extends Expiring> Expiry<IdempotencyKey, E> expiry() {
		return new Expiry<>() {

			@Override
			public long expireAfterCreate(IdempotencyKey key, E entry, long currentTime) {
				return TimeUnit.MILLISECONDS.toNanos(entry.expires()) - currentTime;
			}

			@Override
			public long expireAfterUpdate(IdempotencyKey key, E entry, long currentTime, long currentDuration) {
				return expireAfterCreate(key, entry, currentTime);
			}

			@Override
			public long expireAfterRead(IdempotencyKey key, E entry, long currentTime, long currentDuration) {
				return currentDuration;
			}

		};
	}

	/**
	 * Knows when it is over.
	 */
	interface Expiring {

		/**
		 * The first moment at which it is over, in milliseconds of the store's clock.
		 */
		long expires();

	}

}
