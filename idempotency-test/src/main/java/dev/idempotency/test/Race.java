package dev.idempotency.test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs a task on many threads at the same moment.
 */
public final class Race {

	private static final long SECONDS_TO_FINISH = 120;

	private Race() {
	}

	/**
	 * Runs a task on many threads at once.
	 * @param <T> the type of the result
	 * @param threads how many
	 * @param task the task
	 * @return the result of each thread
	 */
	public static <T> List<T> run(int threads, Callable<T> task) {
		CountDownLatch ready = new CountDownLatch(threads);
		CountDownLatch start = new CountDownLatch(1);
		List<FutureTask<T>> runners = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			FutureTask<T> runner = new FutureTask<>(() -> {
				ready.countDown();
				start.await();
				return task.call();
			});
			runners.add(runner);
			Thread thread = new Thread(runner, "race-" + i);
			thread.setDaemon(true);
			thread.start();
		}
		try {
			ready.await();
			start.countDown();
			List<T> results = new ArrayList<>();
			for (FutureTask<T> runner : runners) {
				results.add(runner.get(SECONDS_TO_FINISH, TimeUnit.SECONDS));
			}
			return results;
		}
		catch (ExecutionException ex) {
			throw new AssertionError("A thread of the race failed", ex.getCause());
		}
		catch (TimeoutException ex) {
			throw new AssertionError("A thread of the race did not finish", ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new AssertionError("The race was interrupted", ex);
		}
	}

}
