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
	 * Claimed, with a lease that has ended: whether the operation did its work is
	 * unknown.
	 */
	ABANDONED,

	/**
	 * The operation has completed.
	 */
	COMPLETED

}
