package dev.idempotency.store.memory;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.NotifyingStore.Subscription;

/**
 * Who waits for which key.
 */
final class KeySubscriptions {

	private final ConcurrentMap<IdempotencyKey, Set<Waiter>> waiters = new ConcurrentHashMap<>();

	Subscription add(IdempotencyKey key, Runnable wakeUp) {
		Waiter waiter = new Waiter(wakeUp);
		this.waiters.compute(key, (k, present) -> {
			Set<Waiter> some = (present != null) ? present : ConcurrentHashMap.newKeySet();
			some.add(waiter);
			return some;
		});
		return () -> this.waiters.computeIfPresent(key, (k, some) -> {
			some.remove(waiter);
			return some.isEmpty() ? null : some;
		});
	}

	void wakeUp(IdempotencyKey key) {
		// Nearly always so, and cheaper than the key's hash
		if (this.waiters.isEmpty()) {
			return;
		}
		this.waiters.getOrDefault(key, Set.of()).forEach(Waiter::wakeUp);
	}

	/**
	 * Tells two subscriptions of the same callback apart.
	 */
	private static final class Waiter {

		private final Runnable callback;

		private Waiter(Runnable callback) {
			this.callback = callback;
		}

		private void wakeUp() {
			this.callback.run();
		}

	}

}
