package dev.idempotency.core;

import java.time.Duration;

import dev.idempotency.Reason;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done about an attempt: it runs, or it is answered.
 */
public sealed interface Decision {

	/**
	 * Why the attempt does not run, and there is no result for it.
	 * @return the reason, or {@code null} if it runs or there is a result
	 */
	default @Nullable Reason reason() {
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
	 * What an attempt is told that does not run.
	 */
	sealed interface Answer extends Decision {

		/**
		 * Where to look for what was done under the same key before.
		 * @return the trace of the attempt that stands against this one, or {@code null}
		 * if there is none
		 */
		@Nullable String trace();

	}

	/**
	 * The operation has run: answer with its result.
	 *
	 * @param result the result, neither compressed nor encrypted, and no tombstone
	 * @param trace the trace in which it ran, or {@code null}
	 */
	record Replay(StoredResult result, @Nullable String trace) implements Answer {

	}

	/**
	 * The operation does not run, and there is no result to answer with.
	 *
	 * @param reason why; each has a factory of its own, with what there is to say of it
	 * @param retryAfter when to ask again, where that helps: soon at first while the same
	 * operation is running, later the longer it runs, and never after its claim would
	 * end; zero if the key can be had now. Of a result that was asked for too often, when
	 * it is forgotten at the latest
	 * @param attempt the number of the attempt that vanished, or 0 if none did
	 * @param replays how often the result was asked for again, where that is too often
	 * @param trace the trace of what stands against it, or {@code null}
	 */
	record Refused(Reason reason, Duration retryAfter, int attempt, long replays,
			@Nullable String trace) implements Answer {

		/**
		 * The key belongs to an operation that was asked to do something else.
		 */
		public static Refused keyReused() {
			return new Refused(Reason.KEY_REUSED, Duration.ZERO, 0, 0, null);
		}

		/**
		 * The same operation is running.
		 */
		public static Refused inProgress(Duration retryAfter, @Nullable String trace) {
			return new Refused(Reason.IN_PROGRESS, retryAfter, 0, 0, trace);
		}

		/**
		 * An executor vanished, and the policy says to leave it at that.
		 */
		public static Refused outcomeUnknown(int attempt, @Nullable String trace) {
			return new Refused(Reason.OUTCOME_UNKNOWN, Duration.ZERO, attempt, 0, trace);
		}

		/**
		 * The operation has run, and its result was not kept.
		 */
		public static Refused notReplayable(@Nullable String trace) {
			return new Refused(Reason.NOT_REPLAYABLE, Duration.ZERO, 0, 0, trace);
		}

		/**
		 * The result was given out more often than the policy allows.
		 */
		public static Refused replayLimit(long replays, Duration retryAfter) {
			return new Refused(Reason.REPLAY_LIMIT, retryAfter, 0, replays, null);
		}

	}

}
