package dev.idempotency.autoconfigure;

import java.time.Clock;
import java.time.Duration;

import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.ShutdownAwareStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;

/**
 * Delays a shutdown while executions are in progress. It stops after web servers,
 * listeners and executors, and before connections are closed. Without a connection, an
 * execution can neither renew nor complete its key, and another instance would run the
 * operation concurrently.
 * <p>
 * Spring waits for at most {@code spring.lifecycle.timeout-per-shutdown-phase}, as for
 * every other bean.
 */
final class ExecutionsLifecycle implements SmartLifecycle {

	/**
	 * Connection factories stop in phase 0, and executors in a much higher one.
	 */
	static final int PHASE = 1;

	private static final Logger logger = LoggerFactory.getLogger(ExecutionsLifecycle.class);

	private static final long LOOK_EVERY_MILLIS = 20;

	private final IdempotencyEngine engine;

	private final IdempotencyStore store;

	private final Duration timeout;

	private final Clock clock = new MonotonicClock();

	private volatile boolean running;

	/**
	 * Create it.
	 * @param timeout how long Spring waits
	 */
	ExecutionsLifecycle(IdempotencyEngine engine, IdempotencyStore store, Duration timeout) {
		this.engine = engine;
		this.store = store;
		this.timeout = timeout;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	@Override
	public void start() {
		this.engine.resume();
		this.running = true;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public void stop(Runnable callback) {
		if (isOver()) {
			stop();
			callback.run();
			return;
		}
		logger.info("Waiting for {} executions to end before connections are closed, for at most {}",
				this.engine.executionsInProgress(), this.timeout);
		Thread waiting = new Thread(() -> {
			awaitEnd();
			stop();
			callback.run();
		}, "idempotency-shutdown");
		waiting.setDaemon(true);
		waiting.start();
	}

	private void awaitEnd() {
		long deadline = this.clock.millis() + this.timeout.toMillis();
		try {
			while (!isOver() && this.clock.millis() < deadline) {
				Thread.sleep(LOOK_EVERY_MILLIS);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private boolean isOver() {
		if (!(this.store instanceof ShutdownAwareStore aware)) {
			return this.engine.executionsInProgress() == 0;
		}
		return switch (aware.lostAtShutdown()) {
			case RECORDS -> true;
			case CONNECTIONS -> this.engine.pauseIfIdle();
		};
	}

}
