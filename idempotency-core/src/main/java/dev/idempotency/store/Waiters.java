package dev.idempotency.store;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import dev.idempotency.store.NotifyingStore.Subscription;

/**
 * The waiting attempts of each key, for stores that {@linkplain NotifyingStore notify}
 * them.
 *
 * @param <K> the type by which the store identifies a key
 */
public final class Waiters<K> {

	private final ConcurrentMap<K, Set<Waiter>> waiters = new ConcurrentHashMap<>();

	/**
	 * Create without waiters.
	 */
	public Waiters() {
	}

	/**
	 * Adds a waiter.
	 * @param wakeUp the callback
	 * @return ends the wait when closed
	 */
	public Subscription add(K key, Runnable wakeUp) {
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

	/**
	 * Whether a key has waiters.
	 * @return whether there is a waiter to wake up
	 */
	public boolean isAwaited(K key) {
		return this.waiters.containsKey(key);
	}

	/**
	 * Wakes up all waiters of a key.
	 */
	public void wakeUp(K key) {
		// The usual case, and cheaper than the key's hash
		if (this.waiters.isEmpty()) {
			return;
		}
		this.waiters.getOrDefault(key, Set.of()).forEach(Waiter::wakeUp);
	}

	/**
	 * Wakes up all waiters of all keys.
	 */
	public void wakeUpAll() {
		this.waiters.values().forEach((some) -> some.forEach(Waiter::wakeUp));
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
