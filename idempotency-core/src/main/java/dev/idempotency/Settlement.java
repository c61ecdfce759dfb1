package dev.idempotency;

/**
 * What became of the wish to settle an abandoned key.
 */
public enum Settlement {

	/**
	 * It is settled.
	 */
	SETTLED,

	/**
	 * Nothing is remembered under the key.
	 */
	NOT_FOUND,

	/**
	 * Its work is running, and settles it: nothing was changed.
	 */
	IN_PROGRESS,

	/**
	 * Its work has come to its end: nothing was changed.
	 */
	COMPLETED

}
