package dev.idempotency.core;

import java.time.Duration;

import dev.idempotency.store.StoredResult;

/**
 * What is to be done about an attempt.
 */
public sealed interface Decision {

	/**
	 * Run the operation, then complete or close the execution.
	 *
	 * @param execution the execution
	 */
	record Proceed(Execution execution) implements Decision {
	}

	/**
	 * The operation has run: answer with its result.
	 *
	 * @param result the result, neither compressed nor encrypted, possibly a tombstone
	 */
	record Replay(StoredResult result) implements Decision {
	}

	/**
	 * The same operation is running.
	 *
	 * @param retryAfter when its claim ends unless it is renewed
	 */
	record InProgress(Duration retryAfter) implements Decision {
	}

	/**
	 * The key belongs to an operation that was asked to do something else.
	 */
	record KeyReused() implements Decision {
	}

	/**
	 * An executor vanished and nobody knows whether it did the work; the policy says to
	 * leave it at that.
	 *
	 * @param attempt the number of the attempt that vanished
	 */
	record OutcomeUnknown(int attempt) implements Decision {
	}

	/**
	 * The result was given out more often than the policy allows.
	 *
	 * @param replays how often it was asked for again
	 */
	record ReplayLimit(long replays) implements Decision {
	}

}
