package dev.idempotency.store.redis;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
 * Keeps one subscription to one channel, on a thread that starts on first use. Jedis
 * listens on the thread that subscribes. Lettuce listens on its own thread and reconnects
 * by itself. This thread does the rest.
 * <p>
 * Spring Data's {@code RedisMessageListenerContainer} does not suit. It takes connections
 * for blocking ones unless their factory is that of Lettuce itself. With a factory around
 * it, the container closes the connection as soon as it has subscribed, and reports that
 * it listens. After an {@link Error}, or after anything but a lost connection while it
 * recovers, it stops for good. It connects on the thread of the waiter, however long that
 * takes, and logs each attempt as an error.
 */
final class ChannelSubscriber implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(ChannelSubscriber.class);

	private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

	private static final Duration LOOK_INTERVAL = Duration.ofSeconds(1);

	private static final int CLOSING_ATTEMPTS = 20;

	private static final int CLOSING_MILLIS = 100;

	private final RedisConnectionFactory connectionFactory;

	private final byte[] channel;

	private final Listener listener;

	private final ReentrantLock starting = new ReentrantLock();

	private final CountDownLatch closed = new CountDownLatch(1);

	/**
	 * A new latch after each lost subscription.
	 */
	private volatile CountDownLatch subscribed = new CountDownLatch(1);

	private volatile @Nullable Thread thread;

	/**
	 * The connection on which the thread listens, if the driver blocks it.
	 */
	private volatile @Nullable RedisConnection blocking;

	ChannelSubscriber(RedisConnectionFactory connectionFactory, byte[] channel, Consumer<byte[]> onMessage,
			Runnable onSubscribedAgain) {
		this.connectionFactory = connectionFactory;
		this.channel = channel;
		this.listener = new Listener(onMessage, onSubscribedAgain);
	}

	/**
	 * Waits until the channel is subscribed to.
	 * @return {@code false} on a timeout, or if this is closed
	 */
	boolean awaitSubscribed(Duration patience) throws InterruptedException {
		if (this.thread == null) {
			startThread();
		}
		return !isClosed() && this.subscribed.await(patience.toNanos(), TimeUnit.NANOSECONDS) && !isClosed();
	}

	private boolean isClosed() {
		return isDone(this.closed);
	}

	private static boolean isDone(CountDownLatch latch) {
		return latch.getCount() == 0;
	}

	private void startThread() {
		this.starting.lock();
		try {
			if (this.thread == null && !isClosed()) {
				Thread started = new Thread(this::run, "idempotency-redis-subscriber");
				started.setDaemon(true);
				started.start();
				this.thread = started;
			}
		}
		finally {
			this.starting.unlock();
		}
	}

	private void run() {
		Duration pause = FIRST_PAUSE;
		while (!isClosed()) {
			if (listenWhateverHappens()) {
				pause = FIRST_PAUSE;
			}
			if (!closesWithin(pause)) {
				Duration doubled = pause.multipliedBy(2);
				pause = (doubled.compareTo(LONGEST_PAUSE) < 0) ? doubled : LONGEST_PAUSE;
			}
		}
	}

	/**
	 * Listens, and returns after any failure, because nothing would restart the thread.
	 * @return whether there was a subscription
	 */
	private boolean listenWhateverHappens() {
		try {
			listen();
		}
		catch (Throwable ex) {
			// Even logging failed
		}
		this.blocking = null;
		boolean was = isDone(this.subscribed);
		if (was) {
			this.subscribed = new CountDownLatch(1);
		}
		return was;
	}

	/**
	 * Sleeps until the time has passed or this is closed.
	 * @return whether this is closed
	 */
	private boolean closesWithin(Duration time) {
		try {
			return this.closed.await(time.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			// From a driver that is being shut down
			return isClosed();
		}
	}

	/**
	 * Listens until the subscription is lost or closed.
	 */
	private void listen() {
		try {
			RedisConnection connection = this.connectionFactory.getConnection();
			try {
				this.blocking = connection;
				connection.subscribe(this.listener, this.channel);
				this.blocking = null;
				boolean ends = isClosed();
				while (!ends && connection.isSubscribed()) {
					ends = closesWithin(LOOK_INTERVAL);
				}
			}
			finally {
				unsubscribe(connection);
				connection.close();
			}
		}
		catch (RuntimeException | Error ex) {
			// Not a warning: waiters poll as well, and failing claims are visible enough
			logger.debug("Failed to listen to Redis", ex);
		}
	}

	private static void unsubscribe(RedisConnection connection) {
		try {
			Subscription subscription = connection.getSubscription();
			if (subscription != null && subscription.isAlive()) {
				subscription.close();
			}
		}
		catch (RuntimeException ex) {
			logger.debug("Failed to close a subscription", ex);
		}
	}

	/**
	 * Closes the subscription and ends its thread, or leaves them to the driver if they
	 * do not end soon.
	 */
	@Override
	public void close() {
		this.closed.countDown();
		// Releases the waiters
		this.subscribed.countDown();
		Thread running = this.thread;
		try {
			for (int i = 0; i < CLOSING_ATTEMPTS && running != null && running.isAlive(); i++) {
				// Repeatedly, since the thread may be about to subscribe. A driver that
				// does not block that thread must not block this one: its server may be
				// gone
				RedisConnection blocking = this.blocking;
				if (blocking != null) {
					unsubscribe(blocking);
				}
				running.join(CLOSING_MILLIS);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Receives messages, and each confirmation of the subscription.
	 */
	private final class Listener implements MessageListener, SubscriptionListener {

		private final Consumer<byte[]> onMessage;

		private final Runnable onSubscribedAgain;

		private final AtomicBoolean everSubscribed = new AtomicBoolean();

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
			ChannelSubscriber.this.subscribed.countDown();
			if (this.everSubscribed.getAndSet(true)) {
				// Messages may have been missed in the meantime
				this.onSubscribedAgain.run();
			}
		}

	}

}
