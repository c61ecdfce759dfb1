package dev.idempotency.test;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How time passes for a store under test.
 */
@FunctionalInterface
public interface StoreTime {

	/**
	 * Lets time pass.
	 * @param duration how much at least
	 */
	void pass(Duration duration);

	/**
	 * The time of a store that has a movable clock.
	 * @param clock the clock
	 * @return the time
	 */
	static StoreTime of(MovableClock clock) {
		return clock::advance;
	}

	/**
	 * The time of a store whose server has a clock of its own, which tests can only wait
	 * for.
	 * @return the time
	 */
	static StoreTime real() {
		return (duration) -> {
			long end = System.nanoTime() + duration.toNanos();
			for (long left = duration.toNanos(); left > 0; left = end - System.nanoTime()) {
				LockSupport.parkNanos(Math.max(left, TimeUnit.MILLISECONDS.toNanos(1)));
			}
		};
	}

}
