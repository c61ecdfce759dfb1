package dev.idempotency.core;

import java.util.Optional;

import dev.idempotency.store.InspectableStore.Inspection;

/**
 * What would be done about an attempt, without doing it.
 *
 * @param verdict what would be done
 * @param found what is remembered under the key, with a result that can be read if it
 * would be replayed
 */
public record Preview(Verdict verdict, Optional<Inspection> found) {

	/**
	 * What would be done about an attempt.
	 */
	public enum Verdict {

		/**
		 * It would run.
		 */
		EXECUTE,

		/**
		 * It would be answered with the stored result.
		 */
		REPLAY,

		/**
		 * It would be told that its twin is running, or that nobody knows what became of
		 * it.
		 */
		CONFLICT,

		/**
		 * It would be refused.
		 */
		REJECT

	}

}
