package dev.idempotency.core;

import java.util.concurrent.Executor;

/**
 * The threads on which an engine decides for those who do not want to block. An executor
 * that refuses throws a {@link java.util.concurrent.RejectedExecutionException}.
 *
 * @param claims asks the store for a key; if it refuses, that is a failure of the store
 * @param looks asks again for those who wait; if it refuses, they go on waiting. What
 * wakes them up runs on threads that must not block: it must not run anything on the
 * calling thread
 * @param endings tells what was decided without the store being asked. If it refuses, the
 * calling thread does it
 */
public record DecisionThreads(Executor claims, Executor looks, Executor endings) {

	/**
	 * One executor for everything.
	 * @param executor runs everything
	 * @return the threads
	 */
	public static DecisionThreads of(Executor executor) {
		return new DecisionThreads(executor, executor, executor);
	}

}
