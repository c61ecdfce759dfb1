package dev.idempotency;

/**
 * What happens to an abandoned key: its lease has expired, and whether the work was done
 * is unknown.
 */
public enum OnCrash {

	/**
	 * The next attempt takes the key over and runs.
	 */
	RETRY,

	/**
	 * The next attempt is refused until the key is settled or forgotten.
	 */
	REFUSE

}
