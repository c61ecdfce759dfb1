package dev.idempotency.core;

import dev.idempotency.store.StoredResult;

/**
 * What someone has found out about an attempt that vanished.
 */
public sealed interface Conclusion {

	/**
	 * It did the work.
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
	 * It did nothing.
	 */
	record NotDone() implements Conclusion {

		@Override
		public String toString() {
			return "not done";
		}

	}

}
