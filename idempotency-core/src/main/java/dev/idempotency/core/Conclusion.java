package dev.idempotency.core;

import dev.idempotency.store.StoredResult;

/**
 * What was found out about an abandoned attempt.
 */
public sealed interface Conclusion {

	/**
	 * The attempt did the work.
	 *
	 * @param result what retries get, neither compressed nor encrypted; a tombstone if
	 * there is no result
	 */
	record Done(StoredResult result) implements Conclusion {

		@Override
		public String toString() {
			return this.result.isTombstone() ? "done, without a result" : "done";
		}

	}

	/**
	 * The attempt did not do the work.
	 */
	record NotDone() implements Conclusion {

		@Override
		public String toString() {
			return "not done";
		}

	}

}
