package dev.idempotency.store.memory;

import java.util.concurrent.TimeUnit;

import com.github.benmanes.caffeine.cache.Expiry;
import dev.idempotency.IdempotencyKey;

/**
 * A result knows when it is over, whoever reads it.
 */
final class ResultExpiry implements Expiry<IdempotencyKey, CompletedEntry> {

	@Override
	public long expireAfterCreate(IdempotencyKey key, CompletedEntry entry, long currentTime) {
		return TimeUnit.MILLISECONDS.toNanos(entry.expires()) - currentTime;
	}

	@Override
	public long expireAfterUpdate(IdempotencyKey key, CompletedEntry entry, long currentTime, long currentDuration) {
		return expireAfterCreate(key, entry, currentTime);
	}

	@Override
	public long expireAfterRead(IdempotencyKey key, CompletedEntry entry, long currentTime, long currentDuration) {
		return currentDuration;
	}

}
