package dev.idempotency.store.memory;

import dev.idempotency.IdempotencyKey;

/**
 * Called when a full store evicts a result before its ttl expires: its key could run
 * again.
 */
@FunctionalInterface
public interface EvictionListener {

	/**
	 * A result was evicted before its ttl expired.
	 */
	void evicted(IdempotencyKey key);

}
