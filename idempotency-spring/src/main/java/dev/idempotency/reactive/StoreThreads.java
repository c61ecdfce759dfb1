package dev.idempotency.reactive;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import dev.idempotency.call.CallThreads;
import dev.idempotency.core.DecisionThreads;

import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.util.CustomizableThreadCreator;

/**
 * The threads of a blocking store, so that no event loop waits for it. Their number is
 * bounded, and so are the number and the size of the claims that wait for one of them. A
 * further claim is refused at once. Completions and releases have as many threads of
 * their own, and are never refused. While too many of them wait, or too large ones,
 * claims are refused instead.
 */
public final class StoreThreads implements CallThreads, AutoCloseable {

	private static final String PREFIX = "idempotency-store-";

	private static final Duration IDLE = Duration.ofSeconds(10);

	/**
	 * Enough to signal decisions that need no store, also while the store or a listener
	 * hangs.
	 */
	private static final int TELLING = 4;

	/**
	 * Also after the shutdown of the application, because what has run must not run
	 * again.
	 */
	private static final RejectedExecutionHandler ON_CALLERS_THREAD = (task, pool) -> task.run();

	/**
	 * The share of the heap that waiting claims may hold, and waiting completions too.
	 */
	private static final int SHARE = 16;

	private final boolean blocking;

	private final int queue;

	private final long limit;

	private final AtomicLong claiming = new AtomicLong();

	private final AtomicLong completing = new AtomicLong();

	private final ThreadPoolExecutor claims;

	private final ThreadPoolExecutor completions;

	private final ThreadPoolExecutor telling;

	/**
	 * Create threads.
	 * @param threads how many claims run at once, and how many completions
	 * @param queue how many claims may wait for a thread
	 * @param factory creates the threads
	 * @param blocking whether the store blocks. A store that does not block runs on the
	 * thread of its caller, and only waiters are woken up on other threads
	 */
	public StoreThreads(int threads, int queue, ThreadFactory factory, boolean blocking) {
		this(threads, queue, factory, blocking, Runtime.getRuntime().maxMemory() / SHARE);
	}

	/**
	 * Create threads.
	 * @param threads how many claims run at once, and how many completions
	 * @param queue how many claims may wait for a thread
	 * @param factory creates the threads
	 * @param blocking whether the store blocks
	 * @param limit how many bytes claims may hold while they wait, and completions too
	 */
	public StoreThreads(int threads, int queue, ThreadFactory factory, boolean blocking, long limit) {
		if (threads < 1) {
			throw new IllegalArgumentException("threads must be positive: %d".formatted(threads));
		}
		if (queue < 0) {
			throw new IllegalArgumentException("queue must not be negative: %d".formatted(queue));
		}
		this.blocking = blocking;
		this.queue = Math.max(queue, threads);
		this.limit = limit;
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
	 * A factory for platform threads.
	 * @return a factory for daemon threads
	 */
	public static ThreadFactory platformThreads() {
		CustomizableThreadCreator creator = new CustomizableThreadCreator(PREFIX);
		creator.setDaemon(true);
		return creator::createThread;
	}

	/**
	 * A factory for virtual threads.
	 * @throws UnsupportedOperationException if this version of Java has none
	 */
	public static ThreadFactory virtualThreads() {
		return new VirtualThreadTaskExecutor(PREFIX).getVirtualThreadFactory();
	}

	/**
	 * Whether the store blocks.
	 * @return {@code false} if it runs on the thread of its caller
	 */
	public boolean isBlocking() {
		return this.blocking;
	}

	@Override
	public DecisionThreads decisions(long bytes) {
		Executor looks = (task) -> claim(task, bytes);
		return new DecisionThreads(this.blocking ? looks : Runnable::run, looks,
				(task) -> handOver(task, this.telling));
	}

	@Override
	public Executor completions(long bytes) {
		return this.blocking ? (task) -> complete(task, bytes) : Runnable::run;
	}

	/**
	 * Runs a claim, unless too much waits already. Its operation would add a completion.
	 */
	private void claim(Runnable task, long bytes) {
		if (this.completing.get() > this.limit || this.completions.getQueue().size() > this.queue) {
			throw new RejectedExecutionException("Completions lag behind");
		}
		long before = this.claiming.getAndAdd(bytes);
		try {
			if (before > 0 && before + bytes > this.limit) {
				throw new RejectedExecutionException("The claims that wait hold %d bytes".formatted(before));
			}
			handOver(() -> {
				try {
					task.run();
				}
				finally {
					this.claiming.addAndGet(-bytes);
				}
			}, this.claims);
		}
		catch (RejectedExecutionException | Error ex) {
			// The latter if no thread could be created
			this.claiming.addAndGet(-bytes);
			throw ex;
		}
	}

	private void complete(Runnable task, long bytes) {
		this.completing.addAndGet(bytes);
		Runnable counted = () -> {
			try {
				task.run();
			}
			finally {
				this.completing.addAndGet(-bytes);
			}
		};
		try {
			handOver(counted, this.completions);
		}
		catch (Error ex) {
			// No thread could be created, and nothing else would complete the key
			counted.run();
		}
	}

	/**
	 * Hands a task over to a pool. This locks the queue of the pool for a moment, which
	 * tools that detect blocking calls may allow.
	 */
	private static void handOver(Runnable task, ThreadPoolExecutor pool) {
		pool.execute(task);
	}

	/**
	 * Lets threads end when their queue is empty, and does not wait for them. From now
	 * on, claims are refused, and completions run on the thread of their caller.
	 */
	@Override
	public void close() {
		this.claims.shutdown();
		this.completions.shutdown();
		this.telling.shutdown();
	}

}
