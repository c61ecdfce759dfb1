package dev.idempotency.core;

import java.util.concurrent.Executor;

/**
 * The executors on which an engine decides for callers that must not block. An executor
 * that refuses a task throws a {@link java.util.concurrent.RejectedExecutionException}.
 *
 * @param claims claims a key; if it refuses, that counts as a failure of the store
 * @param looks claims again for waiting attempts; if it refuses, they continue to wait.
 * It must not run tasks on the calling thread, which may be one that must not block
 * @param endings delivers decisions that need no round trip to the store; if it refuses,
 * the calling thread does it
 */
public record DecisionThreads(Executor claims, Executor looks, Executor endings) {

	/**
	 * One executor for everything.
	 * @param executor runs everything
	 */
	public static DecisionThreads of(Executor executor) {
		return new DecisionThreads(executor, executor, executor);
	}

}
