package dev.idempotency.web;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The way to an object of the container, for the threads of a handler.
 * <p>
 * A container recycles its objects at the end of a request and gives them to the next
 * one. So threads of the handler use them only inside of the outlet. Code that learns of
 * the end closes it, which waits for the threads inside and lets no further thread in.
 */
final class Outlet {

	private static final long PATIENCE_SECONDS = 1;

	private final ReentrantLock lock = new ReentrantLock(true);

	private final Runnable lastLook;

	private volatile boolean closed;

	Outlet() {
		this(() -> {
		});
	}

	/**
	 * Create an outlet.
	 * @param lastLook reads what is needed later from the container's object
	 */
	Outlet(Runnable lastLook) {
		this.lastLook = lastLook;
	}

	/**
	 * Enters the outlet, unless it is closed.
	 * @return whether the caller is inside, and has to {@link #exit()}
	 */
	boolean enter() {
		if (this.closed) {
			return false;
		}
		this.lock.lock();
		if (this.closed) {
			this.lock.unlock();
			return false;
		}
		return true;
	}

	void exit() {
		this.lock.unlock();
	}

	/**
	 * Waits for the threads inside, and closes.
	 */
	void close() {
		this.lock.lock();
		try {
			closeAlone();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Closes in a callback during which the container may hold a lock of its own. A
	 * thread inside may be waiting for that lock, so the wait is bounded.
	 */
	void closeSoon() {
		boolean alone = false;
		try {
			alone = this.lock.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS);
			if (alone) {
				closeAlone();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			this.closed = true;
			if (alone) {
				this.lock.unlock();
			}
		}
	}

	private void closeAlone() {
		if (!this.closed) {
			try {
				this.lastLook.run();
			}
			finally {
				this.closed = true;
			}
		}
	}

}
