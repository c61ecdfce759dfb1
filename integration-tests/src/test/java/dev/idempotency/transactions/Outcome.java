package dev.idempotency.transactions;

/**
 * What is to become of work and key, which agree wherever something is promised.
 */
enum Outcome {

	/**
	 * The work is committed, the key completed.
	 */
	DONE,

	/**
	 * The work is undone, the key free.
	 */
	UNDONE,

	/**
	 * One of these: what the database or Spring makes of it decides.
	 */
	EITHER,

	/**
	 * The work is undone, the key somebody else's.
	 */
	LOST,

	/**
	 * Nobody promises anything.
	 */
	ANYTHING

}
