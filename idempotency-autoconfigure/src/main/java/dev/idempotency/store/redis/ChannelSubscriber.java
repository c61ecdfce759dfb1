package dev.idempotency.store.redis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * Keeps one subscription to one channel, on a thread that starts with the first need of
 * it. Jedis listens on the thread that subscribes, Lettuce on its own and reconnects by
 * itself: the thread does the rest.
 */
final class ChannelSubscriber implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(RedisIdempotencyStore.class);

	private static final long FIRST_PAUSE = Duration.ofMillis(50).toNanos();

	private static final long LONGEST_PAUSE = Duration.ofSeconds(5).toNanos();

	private static final long LOOK_INTERVAL = Duration.ofSeconds(1).toNanos();

	private static final long CLOSE_TIMEOUT = Duration.ofSeconds(2).toMillis();

	private final RedisConnectionFactory connectionFactory;

	private final byte[] channel;

	private final Listener listener;

	private final ReentrantLock mutex = new ReentrantLock();

	private final Condition changed = this.mutex.newCondition();

	private @Nullable Thread thread;

	/**
	 * What our thread is listening on, if the driver listens on our thread.
	 */
	private @Nullable RedisConnection blocking;

	private boolean subscribed;

	private boolean everSubscribed;

	private boolean closed;

	ChannelSubscriber(RedisConnectionFactory connectionFactory, byte[] channel, Consumer<byte[]> onMessage,
			Runnable onSubscribedAgain) {
		this.connectionFactory = connectionFactory;
		this.channel = channel;
		this.listener = new Listener(onMessage, onSubscribedAgain);
	}

	/**
	 * Waits until the channel is subscribed to.
	 * @return {@code false} if it was not in time
	 */
	boolean awaitSubscribed(long time, TimeUnit unit) throws InterruptedException {
		this.mutex.lock();
		try {
			startThread();
			long left = unit.toNanos(time);
			while (!this.subscribed && !this.closed && left > 0) {
				left = this.changed.awaitNanos(left);
			}
			return this.subscribed;
		}
		finally {
			this.mutex.unlock();
		}
	}

	private void startThread() {
		if (this.thread == null && !this.closed) {
			this.thread = new Thread(this::run, "idempotency-redis-subscriber");
			this.thread.setDaemon(true);
			this.thread.start();
		}
	}

	private void run() {
		long pause = FIRST_PAUSE;
		while (!isClosed()) {
			if (listen()) {
				pause = FIRST_PAUSE;
			}
			sleep(pause);
			pause = Math.min(2 * pause, LONGEST_PAUSE);
		}
	}

	/**
	 * Listens until the subscription is lost or ended.
	 * @return whether there was one
	 */
	private boolean listen() {
		try {
			RedisConnection opened = this.connectionFactory.getConnection();
			try {
				blocked(opened);
				opened.subscribe(this.listener, this.channel);
				blocked(null);
				while (!isClosed() && opened.isSubscribed()) {
					sleep(LOOK_INTERVAL);
				}
			}
			finally {
				close(opened);
			}
		}
		catch (RuntimeException ex) {
			// Not a warning: whoever waits looks again, and claims fail loudly enough
			logger.debug("Not listening to Redis", ex);
		}
		return lost();
	}

	private void blocked(@Nullable RedisConnection opened) {
		this.mutex.lock();
		try {
			this.blocking = opened;
		}
		finally {
			this.mutex.unlock();
		}
	}

	/**
	 * The channel is subscribed to.
	 * @return whether it was before, so that something may have been missed since
	 */
	private boolean subscribed() {
		this.mutex.lock();
		try {
			boolean again = this.everSubscribed;
			this.everSubscribed = true;
			this.subscribed = true;
			this.changed.signalAll();
			return again;
		}
		finally {
			this.mutex.unlock();
		}
	}

	private boolean lost() {
		this.mutex.lock();
		try {
			boolean was = this.subscribed;
			this.blocking = null;
			this.subscribed = false;
			return was;
		}
		finally {
			this.mutex.unlock();
		}
	}

	private boolean isClosed() {
		this.mutex.lock();
		try {
			return this.closed;
		}
		finally {
			this.mutex.unlock();
		}
	}

	private void sleep(long nanos) {
		this.mutex.lock();
		try {
			long left = nanos;
			while (!this.closed && left > 0) {
				left = this.changed.awaitNanos(left);
			}
		}
		catch (InterruptedException ex) {
			// Not for us but from a driver that is being shut down
			logger.trace("Interrupted", ex);
		}
		finally {
			this.mutex.unlock();
		}
	}

	private static void close(RedisConnection connection) {
		unsubscribe(connection);
		connection.close();
	}

	private static void unsubscribe(RedisConnection connection) {
		try {
			Subscription subscription = connection.getSubscription();
			if (subscription != null && subscription.isAlive()) {
				subscription.close();
			}
		}
		catch (RuntimeException ex) {
			logger.debug("A subscription could not be ended", ex);
		}
	}

	@Override
	public void close() {
		Thread running = stop();
		if (running != null) {
			awaitEnd(running);
		}
	}

	private @Nullable Thread stop() {
		this.mutex.lock();
		try {
			this.closed = true;
			this.changed.signalAll();
			if (this.blocking != null) {
				unsubscribe(this.blocking);
			}
			return this.thread;
		}
		finally {
			this.mutex.unlock();
		}
	}

	private static void awaitEnd(Thread running) {
		try {
			running.join(CLOSE_TIMEOUT);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Hears of messages, and of each time that the channel is subscribed to.
	 */
	private final class Listener implements MessageListener, SubscriptionListener {

		private final Consumer<byte[]> onMessage;

		private final Runnable onSubscribedAgain;

		private Listener(Consumer<byte[]> onMessage, Runnable onSubscribedAgain) {
			this.onMessage = onMessage;
			this.onSubscribedAgain = onSubscribedAgain;
		}

		@Override
		public void onMessage(Message message, byte @Nullable [] pattern) {
			this.onMessage.accept(message.getBody());
		}

		@Override
		public void onChannelSubscribed(byte[] channel, long count) {
			if (subscribed()) {
				this.onSubscribedAgain.run();
			}
		}

	}

}
