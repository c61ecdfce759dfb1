package dev.idempotency;

/**
 * How far an operation has come.
 */
public enum RecordState {

	/**
	 * Someone holds its claim.
	 */
	IN_PROGRESS,

	/**
	 * It has been claimed, the lease is over, and nobody knows what came of it.
	 */
	ABANDONED,

	/**
	 * It has come to an end.
	 */
	COMPLETED

}
