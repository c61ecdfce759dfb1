package dev.idempotency;

/**
 * What becomes of a key whose executor vanished: its lease is over, and whether the work
 * was done is unknown.
 */
public enum OnCrash {

	/**
	 * The next attempt takes the key over and runs.
	 */
	RETRY,

	/**
	 * The next attempt is refused until someone has decided.
	 */
	REFUSE

}
