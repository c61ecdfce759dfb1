package dev.idempotency.transactions;

/**
 * What has become of a protected call.
 *
 * @param runs how often it ran
 * @param rows how many rows of it were committed
 * @param key the state of its key
 * @param retry what became of its retry
 * @param said what the retry was told
 * @param rowsAfterRetry how many rows were committed then
 */
record Seen(int runs, int rows, KeyState key, Retry retry, String said, int rowsAfterRetry) {

	@Override
	public String toString() {
		return "%d of %d runs committed, key %s, retry %s (%s), %d rows after it".formatted(this.rows, this.runs,
				this.key, this.retry, this.said, this.rowsAfterRetry);
	}

	enum KeyState {

		ABSENT, IN_PROGRESS, ABANDONED, COMPLETED

	}

	enum Retry {

		RAN, REPLAYED, REFUSED, FAILED

	}

}
