package dev.idempotency.web;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Ties the wrappers that a handler was given to the container's objects behind them.
 * <p>
 * A container recycles its objects at the end of a request and gives them to the next
 * one. So threads of the handler reach them only inside the tether. Code that learns of
 * the end unties it, which waits for the threads inside and lets no further thread in.
 */
final class Tether {

	private static final long PATIENCE_SECONDS = 1;

	private final ReentrantLock lock = new ReentrantLock(true);

	private volatile boolean untied;

	/**
	 * Enters the tether, unless it is untied.
	 * @return whether the caller is inside, and has to {@link #exit()}
	 */
	boolean enter() {
		if (this.untied) {
			return false;
		}
		this.lock.lock();
		if (this.untied) {
			this.lock.unlock();
			return false;
		}
		return true;
	}

	void exit() {
		this.lock.unlock();
	}

	/**
	 * Waits for the threads inside, and unties.
	 * @param lastLook reads what is needed later from the container's objects
	 */
	void untie(Runnable lastLook) {
		this.lock.lock();
		try {
			untieAlone(lastLook);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Unties in a callback during which the container may hold a lock of its own. A
	 * thread inside may be waiting for that lock, so the wait is bounded.
	 * @param lastLook reads what is needed later from the container's objects
	 */
	void untieSoon(Runnable lastLook) {
		boolean alone = false;
		try {
			alone = this.lock.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS);
			if (alone) {
				untieAlone(lastLook);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			this.untied = true;
			if (alone) {
				this.lock.unlock();
			}
		}
	}

	private void untieAlone(Runnable lastLook) {
		if (!this.untied) {
			try {
				lastLook.run();
			}
			finally {
				this.untied = true;
			}
		}
	}

}
