package dev.idempotency;

/**
 * The state of a key.
 */
public enum RecordState {

	/**
	 * Claimed, with a lease that has not expired.
	 */
	IN_PROGRESS,

	/**
	 * Claimed, with a lease that has expired: whether the operation ran is unknown.
	 */
	ABANDONED,

	/**
	 * The operation has completed.
	 */
	COMPLETED

}
