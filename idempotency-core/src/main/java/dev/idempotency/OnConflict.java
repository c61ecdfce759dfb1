package dev.idempotency;

/**
 * What happens to an attempt with a key that is in progress.
 */
public enum OnConflict {

	/**
	 * It is refused immediately.
	 */
	REJECT,

	/**
	 * It waits for the result, for at most {@code idempotency.wait-timeout}.
	 */
	WAIT

}
