package dev.idempotency.store;

import dev.idempotency.IdempotencyKey;

/**
 * A store that notifies waiting attempts when a key is completed, released or forgotten,
 * so that they need not poll.
 */
public interface NotifyingStore extends IdempotencyStore {

	/**
	 * Calls back whenever the key is completed, released or forgotten. Calls may get lost
	 * with a connection and may be spurious: each is a hint to claim again. If the store
	 * cannot notify at the moment, this method fails soon, and the caller polls.
	 * @param wakeUp the callback, which runs on any thread and must not block
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
