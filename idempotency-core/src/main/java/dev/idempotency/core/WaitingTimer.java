package dev.idempotency.core;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Wakes up attempts that wait without a thread. One thread serves all of them. It lives
 * while an attempt waits, and a little longer, and only hands work to executors.
 */
final class WaitingTimer {

	private static final long IDLE_SECONDS = 5;

	private @Nullable ScheduledThreadPoolExecutor timer;

	/**
	 * Calls back once.
	 * @return cancels the call
	 */
	Future<?> in(Duration pause, Runnable wakeUp) {
		return timer().schedule(wakeUp, pause.toNanos(), TimeUnit.NANOSECONDS);
	}

	private synchronized ScheduledThreadPoolExecutor timer() {
		ScheduledThreadPoolExecutor known = this.timer;
		if (known == null) {
			known = new ScheduledThreadPoolExecutor(1, WaitingTimer::newThread);
			known.setRemoveOnCancelPolicy(true);
			known.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
			known.allowCoreThreadTimeOut(true);
			this.timer = known;
		}
		return known;
	}

	private static Thread newThread(Runnable task) {
		Thread thread = new Thread(task, "idempotency-waiting");
		thread.setDaemon(true);
		return thread;
	}

}
