package dev.idempotency.store;

import dev.idempotency.IdempotencyKey;

/**
 * A store that can tell when a key has come to an end, so that whoever waits for it need
 * not keep asking.
 */
public interface NotifyingStore extends IdempotencyStore {

	/**
	 * Calls back whenever the key is completed, released or forgotten. A call may be
	 * missing (a lost connection) and may come for nothing: it is a hint to claim again.
	 * If there is nobody to hear from at the moment, it fails at once or soon, and
	 * whoever waits keeps asking.
	 * @param key the key
	 * @param wakeUp what to call, on any thread; it must not block
	 * @return ends the subscription when closed
	 */
	Subscription subscribe(IdempotencyKey key, Runnable wakeUp);

	/**
	 * A subscription that lasts until it is closed.
	 */
	interface Subscription extends AutoCloseable {

		@Override
		void close();

	}

}
