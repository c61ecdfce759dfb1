package dev.idempotency;

/**
 * The result of settling an abandoned key.
 */
public enum Settlement {

	/**
	 * The key is settled.
	 */
	SETTLED,

	/**
	 * There is no record of the key.
	 */
	NOT_FOUND,

	/**
	 * The key is in progress: nothing was changed.
	 */
	IN_PROGRESS,

	/**
	 * The key is completed: nothing was changed.
	 */
	COMPLETED

}
