package dev.idempotency.torture;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A client's pause between two tries.
 */
final class Pause {

	private Pause() {
	}

	static void millis(long millis) {
		LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
	}

}
