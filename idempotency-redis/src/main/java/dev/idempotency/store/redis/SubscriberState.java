package dev.idempotency.store.redis;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * What a {@link ChannelSubscriber}, its thread and the driver's threads know in common.
 */
final class SubscriberState {

	private static final Logger logger = LoggerFactory.getLogger(RedisIdempotencyStore.class);

	private final ReentrantLock mutex = new ReentrantLock();

	private final Condition changed = this.mutex.newCondition();

	private @Nullable RedisConnection blocking;

	private boolean subscribed;

	private boolean everSubscribed;

	private boolean closed;

	/**
	 * The channel is subscribed to.
	 * @return whether it was before, so that something may have been missed since
	 */
	boolean subscribed() {
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

	/**
	 * The channel is not subscribed to any more.
	 * @return whether it was
	 */
	boolean lost() {
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

	/**
	 * Waits until the channel is subscribed to.
	 * @return {@code false} if it was not in time, or never will be
	 */
	boolean awaitSubscribed(Duration patience) throws InterruptedException {
		this.mutex.lock();
		try {
			long left = patience.toNanos();
			while (!this.subscribed && !this.closed && left > 0) {
				left = this.changed.awaitNanos(left);
			}
			return this.subscribed && !this.closed;
		}
		finally {
			this.mutex.unlock();
		}
	}

	/**
	 * The thread is about to listen on a connection, or has come back from it.
	 */
	void blocking(@Nullable RedisConnection connection) {
		this.mutex.lock();
		try {
			this.blocking = connection;
		}
		finally {
			this.mutex.unlock();
		}
	}

	/**
	 * What the thread is listening on, if the driver listens on our thread.
	 */
	@Nullable RedisConnection blocking() {
		this.mutex.lock();
		try {
			return this.blocking;
		}
		finally {
			this.mutex.unlock();
		}
	}

	void close() {
		this.mutex.lock();
		try {
			this.closed = true;
			this.changed.signalAll();
		}
		finally {
			this.mutex.unlock();
		}
	}

	boolean isClosed() {
		this.mutex.lock();
		try {
			return this.closed;
		}
		finally {
			this.mutex.unlock();
		}
	}

	/**
	 * Sleeps, but not beyond the end.
	 */
	void sleep(Duration time) {
		this.mutex.lock();
		try {
			long left = time.toNanos();
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

}
