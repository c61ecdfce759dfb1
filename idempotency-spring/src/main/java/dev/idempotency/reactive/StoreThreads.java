package dev.idempotency.reactive;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import dev.idempotency.call.CallThreads;
import dev.idempotency.core.DecisionThreads;

import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.util.CustomizableThreadCreator;

/**
 * The threads on which a store is asked that blocks, so that no event loop has to wait
 * for it. There is a bound to them, and to the claims that wait for one of them: a
 * further claim is refused at once. Completions and releases have as many threads of
 * their own, and are never refused.
 */
public final class StoreThreads implements CallThreads, AutoCloseable {

	private static final String PREFIX = "idempotency-store-";

	private static final Duration IDLE = Duration.ofSeconds(10);

	/**
	 * Enough to tell of what needs no store, also while the store or a listener hangs.
	 */
	private static final int TELLING = 4;

	/**
	 * Also after the end of the application: what has run must not run again.
	 */
	private static final RejectedExecutionHandler ON_CALLERS_THREAD = (task, pool) -> task.run();

	private final boolean blocking;

	private final ThreadPoolExecutor claims;

	private final ThreadPoolExecutor completions;

	private final ThreadPoolExecutor telling;

	/**
	 * Create threads.
	 * @param threads how many claims are made at once, and how many completions
	 * @param queue how many claims may wait for a thread
	 * @param factory makes the threads
	 * @param blocking whether the store blocks. One that does not is asked on the thread
	 * of its caller, and only those who wait are woken up on others
	 */
	public StoreThreads(int threads, int queue, ThreadFactory factory, boolean blocking) {
		if (threads < 1) {
			throw new IllegalArgumentException("threads must be positive: %d".formatted(threads));
		}
		if (queue < 0) {
			throw new IllegalArgumentException("queue must not be negative: %d".formatted(queue));
		}
		this.blocking = blocking;
		this.claims = pool(threads, (queue > 0) ? new LinkedBlockingQueue<>(queue) : new SynchronousQueue<>(), factory,
				new ThreadPoolExecutor.AbortPolicy());
		this.completions = pool(threads, new LinkedBlockingQueue<>(), factory, ON_CALLERS_THREAD);
		this.telling = pool(TELLING, new LinkedBlockingQueue<>(), factory, ON_CALLERS_THREAD);
	}

	private static ThreadPoolExecutor pool(int threads, BlockingQueue<Runnable> queue, ThreadFactory factory,
			RejectedExecutionHandler full) {
		ThreadPoolExecutor pool = new ThreadPoolExecutor(threads, threads, IDLE.toMillis(), TimeUnit.MILLISECONDS,
				queue, factory, full);
		pool.allowCoreThreadTimeOut(true);
		return pool;
	}

	/**
	 * Makes threads of the platform.
	 * @return makes daemons
	 */
	public static ThreadFactory platformThreads() {
		CustomizableThreadCreator creator = new CustomizableThreadCreator(PREFIX);
		creator.setDaemon(true);
		return creator::createThread;
	}

	/**
	 * Makes virtual threads.
	 * @return makes virtual threads
	 * @throws UnsupportedOperationException if Java has none yet
	 */
	public static ThreadFactory virtualThreads() {
		return new VirtualThreadTaskExecutor(PREFIX).getVirtualThreadFactory();
	}

	/**
	 * Whether the store blocks.
	 * @return {@code false} if it is asked on the thread of its caller
	 */
	public boolean isBlocking() {
		return this.blocking;
	}

	@Override
	public DecisionThreads decisions() {
		Executor looks = (task) -> handOver(task, this.claims);
		return new DecisionThreads(this.blocking ? looks : Runnable::run, looks,
				(task) -> handOver(task, this.telling));
	}

	@Override
	public Executor completions() {
		return this.blocking ? this::complete : Runnable::run;
	}

	private void complete(Runnable task) {
		try {
			handOver(task, this.completions);
		}
		catch (Error ex) {
			// There is no thread to be had, and nobody would end it
			task.run();
		}
	}

	/**
	 * Hands a task over. What guards the queue of a pool is locked for that, for a moment
	 * that those who look for calls that block may let pass.
	 */
	private static void handOver(Runnable task, ThreadPoolExecutor pool) {
		pool.execute(task);
	}

	/**
	 * Lets threads end when they have done what there is to do, and blocks nobody. From
	 * now on claims are refused, and completions are made on the thread of their caller.
	 */
	@Override
	public void close() {
		this.claims.shutdown();
		this.completions.shutdown();
		this.telling.shutdown();
	}

}
