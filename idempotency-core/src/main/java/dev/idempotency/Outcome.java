package dev.idempotency;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What came of an attempt.
 *
 * @param <T> the type of the result
 */
public sealed interface Outcome<T extends @Nullable Object> {

	/**
	 * Why there is no value.
	 * @return the reason, or {@code null} if there is one
	 */
	default @Nullable Reason reason() {
		return null;
	}

	/**
	 * The work ran now.
	 *
	 * @param value what came of it
	 * @param <T> the type of the result
	 */
	record Executed<T extends @Nullable Object>(T value) implements Outcome<T> {
	}

	/**
	 * The work had run before.
	 *
	 * @param value what came of it then
	 * @param <T> the type of the result
	 */
	record Replayed<T extends @Nullable Object>(T value) implements Outcome<T> {
	}

	/**
	 * The work is running elsewhere.
	 *
	 * @param retryAfter when to ask again: soon at first, later the longer it runs
	 * @param <T> the type of the result
	 */
	record InProgress<T extends @Nullable Object>(Duration retryAfter) implements Outcome<T> {

		@Override
		public Reason reason() {
			return Reason.IN_PROGRESS;
		}

	}

	/**
	 * The key belongs to work that was asked to do something else.
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
	 * An earlier attempt vanished, nobody knows whether it did the work, and it is not to
	 * run again.
	 *
	 * @param attempt the number of the attempt that vanished
	 * @param <T> the type of the result
	 */
	record OutcomeUnknown<T extends @Nullable Object>(int attempt) implements Outcome<T> {

		@Override
		public Reason reason() {
			return Reason.OUTCOME_UNKNOWN;
		}

	}

	/**
	 * The result was asked for more often than is allowed.
	 *
	 * @param replays how often it was asked for
	 * @param <T> the type of the result
	 */
	record ReplayLimit<T extends @Nullable Object>(long replays) implements Outcome<T> {

		@Override
		public Reason reason() {
			return Reason.REPLAY_LIMIT;
		}

	}

	/**
	 * The work has run, and its result was not kept.
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
