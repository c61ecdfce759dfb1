package dev.idempotency.store.memory;

import dev.idempotency.IdempotencyKey;

/**
 * Told when a store that is full forgets a result before its time: that key could run
 * again.
 */
@FunctionalInterface
public interface EvictionListener {

	/**
	 * A result was forgotten before its time.
	 * @param key its key
	 */
	void evicted(IdempotencyKey key);

}
