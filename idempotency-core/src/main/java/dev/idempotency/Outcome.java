package dev.idempotency;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of an attempt.
 *
 * @param <T> the type of the result
 */
public sealed interface Outcome<T extends @Nullable Object> {

	/**
	 * Why the outcome has no value.
	 * @return the reason, or {@code null} if it has one
	 */
	default @Nullable Reason reason() {
		return null;
	}

	/**
	 * The work ran in this attempt.
	 *
	 * @param value the result
	 * @param <T> the type of the result
	 */
	record Executed<T extends @Nullable Object>(T value) implements Outcome<T> {
	}

	/**
	 * The work has run before, and its result is replayed.
	 *
	 * @param value the stored result
	 * @param <T> the type of the result
	 */
	record Replayed<T extends @Nullable Object>(T value) implements Outcome<T> {
	}

	/**
	 * The key is in progress.
	 *
	 * @param retryAfter when to try again: the longer the work runs, the later
	 * @param <T> the type of the result
	 */
	record InProgress<T extends @Nullable Object>(Duration retryAfter) implements Outcome<T> {

		@Override
		public Reason reason() {
			return Reason.IN_PROGRESS;
		}

	}

	/**
	 * The key was used with a different fingerprint.
	 *
	 * @param <T> the type of the result
	 */
	record KeyReused<T extends @Nullable Object>() implements Outcome<T> {

		@Override
		public Reason reason() {
			return Reason.KEY_REUSED;
		}

	}

	/**
	 * The key is abandoned, whether its attempt did the work is unknown, and the work
	 * must not run again.
	 *
	 * @param attempt the number of the abandoned attempt
	 * @param <T> the type of the result
	 */
	record OutcomeUnknown<T extends @Nullable Object>(int attempt) implements Outcome<T> {

		@Override
		public Reason reason() {
			return Reason.OUTCOME_UNKNOWN;
		}

	}

	/**
	 * The result was replayed as often as is allowed.
	 *
	 * @param replays how often a replay was requested
	 * @param <T> the type of the result
	 */
	record ReplayLimit<T extends @Nullable Object>(long replays) implements Outcome<T> {

		@Override
		public Reason reason() {
			return Reason.REPLAY_LIMIT;
		}

	}

	/**
	 * The work has run, and its result was not stored.
	 *
	 * @param <T> the type of the result
	 */
	record NotReplayable<T extends @Nullable Object>() implements Outcome<T> {

		@Override
		public Reason reason() {
			return Reason.NOT_REPLAYABLE;
		}

	}

}
