package dev.idempotency.torture.ledger;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.idempotency.torture.ledger.Journal.Entry;

/**
 * Notices when the process did not get to run, whatever the reason.
 */
final class StallWatch {

	private static final long INTERVAL = TimeUnit.MILLISECONDS.toNanos(20);

	private static final long STALL = TimeUnit.MILLISECONDS.toNanos(150);

	private StallWatch() {
	}

	static void start(Journal journal, String instance) {
		Thread thread = new Thread(() -> {
			for (long last = System.nanoTime();;) {
				LockSupport.parkNanos(INTERVAL);
				long now = System.nanoTime();
				if (now - last > STALL) {
					journal.write(Entry.STALLED, instance, last, now);
				}
				last = now;
			}
		}, "stall-watch");
		thread.setDaemon(true);
		thread.start();
	}

}
