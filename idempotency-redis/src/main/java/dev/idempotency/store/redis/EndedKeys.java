package dev.idempotency.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import dev.idempotency.store.NotifyingStore.Subscription;
import dev.idempotency.store.Waiters;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Wakes up whoever waits for a key when the server publishes that it has come to an end.
 * <p>
 * There is one subscription for all waiters, from the first one on. What is published
 * while it is down is lost; everyone is woken up when it is there again.
 */
final class EndedKeys implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private final Waiters<String> waiters = new Waiters<>();

	private final ChannelSubscriber subscriber;

	EndedKeys(RedisConnectionFactory connectionFactory, byte[] channel) {
		this.subscriber = new ChannelSubscriber(connectionFactory, channel,
				(digest) -> this.waiters.wakeUp(new String(digest, StandardCharsets.US_ASCII)),
				this.waiters::wakeUpAll);
	}

	/**
	 * Adds a waiter, and returns when nothing that is published from now on is missed.
	 * @throws IllegalStateException if there is no subscription to be had: the waiter has
	 * to keep asking
	 */
	Subscription subscribe(String digest, Runnable wakeUp) {
		Subscription subscription = this.waiters.add(digest, wakeUp);
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

	@Override
	public void close() {
		this.subscriber.close();
	}

}
