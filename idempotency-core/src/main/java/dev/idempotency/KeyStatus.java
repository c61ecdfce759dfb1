package dev.idempotency;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What is remembered under a key.
 *
 * @param state whether the work has come to its end
 * @param attempt the number of the latest attempt
 * @param created when the key was first claimed
 * @param completed when the work came to its end, or {@code null} if it has not
 * @param expires when it will be forgotten
 */
public record KeyStatus(State state, int attempt, Instant created, @Nullable Instant completed, Instant expires) {

	/**
	 * How far the work has come.
	 */
	public enum State {

		/**
		 * It is running.
		 */
		IN_PROGRESS,

		/**
		 * Whoever ran it vanished, and nobody knows whether it was done.
		 */
		ABANDONED,

		/**
		 * It has come to its end.
		 */
		COMPLETED

	}

}
