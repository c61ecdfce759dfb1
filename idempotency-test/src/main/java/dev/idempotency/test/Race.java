package dev.idempotency.test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Function;

/**
 * Runs a task on many threads at the same moment.
 */
public final class Race {

	private static final long SECONDS_TO_FINISH = 120;

	private static final long LONGEST_DELAY = TimeUnit.MILLISECONDS.toNanos(5);

	private Race() {
	}

	/**
	 * Runs a task on many threads at once.
	 * @param <T> the type of the result
	 * @param threads how many
	 * @return the result of each thread
	 */
	public static <T> List<T> run(int threads, Callable<T> task) {
		return runAll(Collections.nCopies(threads, task));
	}

	private static <T> List<T> runAll(List<Callable<T>> tasks) {
		CountDownLatch ready = new CountDownLatch(tasks.size());
		CountDownLatch start = new CountDownLatch(1);
		List<FutureTask<T>> runners = new ArrayList<>();
		for (Callable<T> task : tasks) {
			FutureTask<T> runner = new FutureTask<>(() -> {
				ready.countDown();
				start.await();
				return task.call();
			});
			Thread thread = new Thread(runner, "race-" + runners.size());
			runners.add(runner);
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

	/**
	 * Lets some sides meet over one thing after the other. In every second round they
	 * begin at the same moment. In the others, each begins at some moment of the time
	 * that a round takes, and so falls into any gap between two steps of another.
	 * @param <T> the type of the things
	 * @param <R> the type of the results
	 * @param things what to meet over, one in each round
	 * @param sides what each side does, on a thread of its own
	 * @return for each thing, the result of each side
	 */
	// A thread that is parked comes too late
	@SuppressWarnings("ThreadPriorityCheck")
	static <T, R> List<List<R>> meet(List<T> things, List<Function<T, R>> sides) {
		AtomicInteger arrived = new AtomicInteger();
		AtomicLongArray durations = new AtomicLongArray(things.size());
		List<Callable<List<R>>> tasks = new ArrayList<>();
		for (Function<T, R> side : sides) {
			tasks.add(() -> {
				List<R> results = new ArrayList<>();
				try {
					for (T thing : things) {
						int round = results.size();
						for (arrived.incrementAndGet(); arrived.get() < sides.size() * (round + 1);) {
							Thread.yield();
						}
						long begin = System.nanoTime();
						if (round % 2 == 1) {
							long longest = Math.min(durations.get(round - 1), LONGEST_DELAY);
							long delay = ThreadLocalRandom.current().nextLong(longest + 1);
							while (System.nanoTime() - begin < delay) {
								Thread.onSpinWait();
							}
						}
						results.add(side.apply(thing));
						durations.accumulateAndGet(round, System.nanoTime() - begin, Math::max);
					}
					return results;
				}
				finally {
					// Nobody waits for a side that has failed
					arrived.addAndGet(sides.size() * things.size());
				}
			});
		}
		List<List<R>> bySide = runAll(tasks);
		List<List<R>> byThing = new ArrayList<>();
		for (int i = 0; i < things.size(); i++) {
			int round = i;
			byThing.add(bySide.stream().map((results) -> results.get(round)).toList());
		}
		return byThing;
	}

}
