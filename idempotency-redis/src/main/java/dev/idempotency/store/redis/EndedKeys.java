package dev.idempotency.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.NotifyingStore.Subscription;
import dev.idempotency.store.Waiters;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Wakes up whoever waits for a key when the server publishes that it has come to an end.
 * <p>
 * There is one subscription for all waiters, from the first one on. What is published
 * while it is down is lost; everyone is woken up when it is there again. Only the end of
 * a record is published that a waiter has marked: a cluster passes each message on to all
 * of its nodes, and hardly anyone ever waits.
 */
final class EndedKeys implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private final Waiters<String> waiters = new Waiters<>();

	private final ScriptRunner scripts;

	private final Names names;

	private final ChannelSubscriber subscriber;

	EndedKeys(RedisConnectionFactory connectionFactory, ScriptRunner scripts, Names names) {
		this.scripts = scripts;
		this.names = names;
		this.subscriber = new ChannelSubscriber(connectionFactory, names.channel(),
				(digest) -> this.waiters.wakeUp(text(digest)), this.waiters::wakeUpAll);
	}

	/**
	 * A digest as something that can be compared.
	 */
	private static String text(byte[] digest) {
		return new String(digest, StandardCharsets.ISO_8859_1);
	}

	/**
	 * Adds a waiter, and returns when nothing that is published from now on is missed,
	 * and the record is marked, if it is there. First the one and then the other: an end
	 * before the mark is seen by whoever looks again.
	 * @throws IllegalStateException if there is no subscription to be had: the waiter has
	 * to keep asking
	 */
	Subscription subscribe(IdempotencyKey key, Runnable wakeUp) {
		Subscription subscription = this.waiters.add(text(key.digest()), wakeUp);
		try {
			if (!isSubscribed()) {
				throw new IllegalStateException("Redis cannot be listened to at the moment");
			}
			this.scripts.test(Script.AWAIT, this.names.record(key));
			return subscription;
		}
		catch (RuntimeException ex) {
			subscription.close();
			throw ex;
		}
	}

	/**
	 * Whether anyone waits for a key here.
	 */
	boolean isAwaited(IdempotencyKey key) {
		return this.waiters.isAwaited(text(key.digest()));
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
