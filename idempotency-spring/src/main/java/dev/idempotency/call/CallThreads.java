package dev.idempotency.call;

import java.util.concurrent.Executor;

import dev.idempotency.core.DecisionThreads;

/**
 * The threads that access the store for callers that must not block.
 */
public interface CallThreads {

	/**
	 * The threads that claim keys.
	 * @param bytes how much memory each claim holds while it waits
	 * @return the threads, which reject claims if too much waits already
	 */
	DecisionThreads decisions(long bytes);

	/**
	 * The threads that claim keys.
	 */
	default DecisionThreads decisions() {
		return decisions(0);
	}

	/**
	 * The threads that complete and release keys.
	 * @param bytes how much memory each completion holds while it waits
	 * @return an executor that rejects nothing
	 */
	Executor completions(long bytes);

	/**
	 * The threads that complete and release keys.
	 * @return an executor that rejects nothing
	 */
	default Executor completions() {
		return completions(0);
	}

}
