package dev.idempotency.core;

import java.time.Duration;

import dev.idempotency.Reason;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * The engine's decision about an attempt: it runs, is replayed or is refused.
 */
public sealed interface Decision {

	/**
	 * Why the attempt is refused.
	 * @return the reason, or {@code null} if it runs or is replayed
	 */
	default @Nullable Reason reason() {
		return null;
	}

	/**
	 * Run the operation, then complete or close the execution.
	 */
	record Proceed(Execution execution) implements Decision {
	}

	/**
	 * The decision about an attempt that does not run.
	 */
	sealed interface Answer extends Decision {

		/**
		 * The trace of an earlier attempt with the same key.
		 * @return the trace of the attempt that prevents this one, or {@code null} if
		 * there is none
		 */
		@Nullable String trace();

	}

	/**
	 * The operation has run: replay its result.
	 *
	 * @param result the result, neither compressed nor encrypted, and no tombstone
	 * @param trace the trace in which it ran, or {@code null}
	 */
	record Replay(StoredResult result, @Nullable String trace) implements Answer {

	}

	/**
	 * The operation does not run, and there is no result to replay.
	 *
	 * @param reason why; each reason has a factory method with its details
	 * @param retryAfter when to try again, where that helps. While the key is in
	 * progress: the longer it runs, the later, but no later than its lease expires; zero
	 * if the key can be claimed now. At the limit of replays: when the result expires at
	 * the latest
	 * @param attempt the number of the abandoned attempt, or 0 if there is none
	 * @param replays how often a replay was requested, if that is too often
	 * @param trace the trace of the attempt that prevents this one, or {@code null}
	 */
	record Refused(Reason reason, Duration retryAfter, int attempt, long replays,
			@Nullable String trace) implements Answer {

		/**
		 * The key was used with a different fingerprint.
		 */
		public static Refused keyReused() {
			return new Refused(Reason.KEY_REUSED, Duration.ZERO, 0, 0, null);
		}

		/**
		 * Nothing is stored under the key, and its time does not allow a first attempt.
		 */
		public static Refused keyExpired() {
			return new Refused(Reason.KEY_EXPIRED, Duration.ZERO, 0, 0, null);
		}

		/**
		 * The key is in progress.
		 */
		public static Refused inProgress(Duration retryAfter, @Nullable String trace) {
			return new Refused(Reason.IN_PROGRESS, retryAfter, 0, 0, trace);
		}

		/**
		 * The key is abandoned, and the policy forbids a takeover.
		 */
		public static Refused outcomeUnknown(int attempt, @Nullable String trace) {
			return new Refused(Reason.OUTCOME_UNKNOWN, Duration.ZERO, attempt, 0, trace);
		}

		/**
		 * The operation has run, and its result was not stored.
		 */
		public static Refused notReplayable(@Nullable String trace) {
			return new Refused(Reason.NOT_REPLAYABLE, Duration.ZERO, 0, 0, trace);
		}

		/**
		 * The result was replayed as often as the policy allows.
		 */
		public static Refused replayLimit(long replays, Duration retryAfter) {
			return new Refused(Reason.REPLAY_LIMIT, retryAfter, 0, replays, null);
		}

		/**
		 * The application denies the result to this caller.
		 */
		public static Refused replayDenied(@Nullable String trace) {
			return new Refused(Reason.REPLAY_DENIED, Duration.ZERO, 0, 0, trace);
		}

	}

}
