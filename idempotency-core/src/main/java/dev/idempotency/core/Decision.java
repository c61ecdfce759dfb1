package dev.idempotency.core;

import java.time.Duration;

import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done about an attempt.
 */
public sealed interface Decision {

	/**
	 * Where to look for what was done under the same key before.
	 * @return the trace of the attempt that stands against this one, or {@code null} if
	 * there is none
	 */
	default @Nullable String trace() {
		return null;
	}

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
	 * @param trace the trace in which it ran, or {@code null}
	 */
	record Replay(StoredResult result, @Nullable String trace) implements Decision {

		/**
		 * A replay of what ran in no trace.
		 * @param result the result
		 */
		public Replay(StoredResult result) {
			this(result, null);
		}

	}

	/**
	 * The same operation is running.
	 *
	 * @param retryAfter when to ask again: soon at first, later the longer it runs, and
	 * never after its claim would end; zero if the key can be had now
	 * @param trace the trace in which it runs, or {@code null}
	 */
	record InProgress(Duration retryAfter, @Nullable String trace) implements Decision {

		/**
		 * The same operation is running, in no trace.
		 * @param retryAfter when to ask again
		 */
		public InProgress(Duration retryAfter) {
			this(retryAfter, null);
		}

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
	 * @param trace the trace in which it ran, or {@code null}
	 */
	record OutcomeUnknown(int attempt, @Nullable String trace) implements Decision {

		/**
		 * An executor vanished that worked in no trace.
		 * @param attempt the number of the attempt that vanished
		 */
		public OutcomeUnknown(int attempt) {
			this(attempt, null);
		}

	}

	/**
	 * The result was given out more often than the policy allows.
	 *
	 * @param replays how often it was asked for again
	 */
	record ReplayLimit(long replays) implements Decision {
	}

}
