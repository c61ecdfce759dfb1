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
	 * Whether days pass at once. Some tests let years pass, and exact moments come. They
	 * try nothing where they would have to wait.
	 * @return whether the store has a movable clock
	 */
	default boolean isMovable() {
		return false;
	}

	/**
	 * The time of a store that has a movable clock.
	 */
	static StoreTime of(MovableClock clock) {
		return new StoreTime() {

			@Override
			public void pass(Duration duration) {
				clock.advance(duration);
			}

			@Override
			public boolean isMovable() {
				return true;
			}

		};
	}

	/**
	 * The time of a store whose server has a clock of its own, which tests can only wait
	 * for.
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
