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
	 * The same, but not since a process crashed or stalled: the latest attempt has
	 * reported that its outcome is unknown.
	 */
	REPORTED_UNKNOWN,

	/**
	 * The operation has completed.
	 */
	COMPLETED;

	/**
	 * Whether an attempt has left the key without a known outcome.
	 */
	public boolean isOutcomeUnknown() {
		return this == ABANDONED || this == REPORTED_UNKNOWN;
	}

}
