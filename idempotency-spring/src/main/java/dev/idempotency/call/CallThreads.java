package dev.idempotency.call;

import java.util.concurrent.Executor;

import dev.idempotency.core.DecisionThreads;

/**
 * The threads that access the store for callers that must not block.
 */
public interface CallThreads {

	/**
	 * The threads that claim keys.
	 * @return the threads
	 */
	DecisionThreads decisions();

	/**
	 * The threads that complete and release keys.
	 * @return an executor that rejects nothing
	 */
	Executor completions();

}
