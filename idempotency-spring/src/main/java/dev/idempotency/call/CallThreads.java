package dev.idempotency.call;

import java.util.concurrent.Executor;

import dev.idempotency.core.DecisionThreads;

/**
 * Where the store is asked for callers who do not block.
 */
public interface CallThreads {

	/**
	 * Where keys are claimed.
	 * @return the threads
	 */
	DecisionThreads decisions();

	/**
	 * Where keys are completed and released.
	 * @return refuses nothing
	 */
	Executor completions();

}
