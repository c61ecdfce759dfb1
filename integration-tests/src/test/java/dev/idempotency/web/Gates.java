package dev.idempotency.web;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets handlers and tests wait for each other. A gate is closed until it is opened, and
 * then stays open.
 */
final class Gates {

	private static final long SECONDS = 60;

	private final Map<String, CountDownLatch> latches = new ConcurrentHashMap<>();

	private CountDownLatch latch(String name) {
		return this.latches.computeIfAbsent(name, (it) -> new CountDownLatch(1));
	}

	void open(String name) {
		latch(name).countDown();
	}

	/**
	 * Waits before a gate, also when someone interrupts.
	 */
	void await(String name) {
		boolean interrupted = false;
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
		try {
			while (true) {
				try {
					if (latch(name).await(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
						return;
					}
					throw new IllegalStateException("Nobody has opened " + name);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
