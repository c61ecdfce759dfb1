package dev.idempotency.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.NotifyingStore.Subscription;
import dev.idempotency.store.Waiters;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Wakes up the waiters for a key when the server publishes that the key has ended.
 * <p>
 * All waiters share one subscription, which starts with the first of them. Messages are
 * lost while it is down, so all waiters are woken up once it is back. The server
 * publishes the end of a record only if a waiter has marked it. A cluster sends each
 * message to all of its nodes, and waiters are rare.
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
	 * A digest in comparable form.
	 */
	private static String text(byte[] digest) {
		return new String(digest, StandardCharsets.ISO_8859_1);
	}

	/**
	 * Adds a waiter. Returns once the subscription is active and the record, if any, is
	 * marked, in this order. The waiter checks the key again afterwards, and sees an end
	 * that came before the mark.
	 * @throws IllegalStateException if the server cannot be subscribed to at the moment,
	 * so that the waiter has to poll
	 */
	Subscription subscribe(IdempotencyKey key, Runnable wakeUp) {
		Subscription subscription = this.waiters.add(text(key.digest()), wakeUp);
		try {
			if (!isSubscribed()) {
				throw new IllegalStateException("Redis cannot be subscribed to at the moment");
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
	 * Whether this process has a waiter for a key.
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
