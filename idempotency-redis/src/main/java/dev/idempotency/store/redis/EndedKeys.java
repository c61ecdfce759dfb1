package dev.idempotency.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import dev.idempotency.store.NotifyingStore.Subscription;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Wakes up whoever waits for a key when the server publishes that it has come to an end.
 * <p>
 * There is one subscription for all waiters, from the first one on. What is published
 * while it is down is lost; everyone is woken up when it is there again.
 */
final class EndedKeys implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private final ConcurrentMap<String, Set<Waiter>> waiters = new ConcurrentHashMap<>();

	private final ChannelSubscriber subscriber;

	EndedKeys(RedisConnectionFactory connectionFactory, byte[] channel) {
		this.subscriber = new ChannelSubscriber(connectionFactory, channel, this::ended, this::wakeUpAll);
	}

	/**
	 * Adds a waiter, and returns when nothing that is published from now on is missed.
	 * @throws IllegalStateException if there is no subscription to be had: the waiter has
	 * to keep asking
	 */
	Subscription subscribe(String digest, Runnable wakeUp) {
		Waiter waiter = new Waiter(wakeUp);
		this.waiters.compute(digest, (key, present) -> {
			Set<Waiter> some = (present != null) ? present : ConcurrentHashMap.newKeySet();
			some.add(waiter);
			return some;
		});
		Subscription subscription = () -> remove(digest, waiter);
		if (!isSubscribed()) {
			subscription.close();
			throw new IllegalStateException("Redis cannot be listened to at the moment");
		}
		return subscription;
	}

	private boolean isSubscribed() {
		try {
			return this.subscriber.awaitSubscribed(PATIENCE);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	private void remove(String digest, Waiter waiter) {
		this.waiters.computeIfPresent(digest, (key, some) -> {
			some.remove(waiter);
			return some.isEmpty() ? null : some;
		});
	}

	private void ended(byte[] digest) {
		this.waiters.getOrDefault(new String(digest, StandardCharsets.US_ASCII), Set.of()).forEach(Waiter::wakeUp);
	}

	private void wakeUpAll() {
		this.waiters.values().forEach((some) -> some.forEach(Waiter::wakeUp));
	}

	@Override
	public void close() {
		this.subscriber.close();
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
