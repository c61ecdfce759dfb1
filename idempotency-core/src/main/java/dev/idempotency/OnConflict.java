package dev.idempotency;

/**
 * What becomes of a request whose twin is still running.
 */
public enum OnConflict {

	/**
	 * It is refused at once.
	 */
	REJECT,

	/**
	 * It waits for the answer of its twin, at most {@code idempotency.wait-timeout} long.
	 */
	WAIT

}
