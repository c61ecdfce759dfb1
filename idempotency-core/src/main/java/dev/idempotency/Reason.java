package dev.idempotency;

/**
 * Why an operation did not run, or has no result for its caller. Each
 * {@link IdempotencyException} has one, and so has each {@link Outcome} without a value.
 */
public enum Reason {

	/**
	 * A key is required and there is none.
	 */
	KEY_MISSING,

	/**
	 * The key cannot be used.
	 */
	KEY_INVALID,

	/**
	 * The body is larger than what is compared.
	 */
	BODY_TOO_LARGE,

	/**
	 * The body could not be read to its end.
	 */
	BODY_UNREADABLE,

	/**
	 * Nobody can tell whether a dry run is asked for.
	 */
	DRY_RUN_INVALID,

	/**
	 * Nobody can tell what would happen: the store cannot be looked into, or protection
	 * is switched off.
	 */
	DRY_RUN_UNSUPPORTED,

	/**
	 * The key belongs to an operation that was asked to do something else.
	 */
	KEY_REUSED,

	/**
	 * The same operation is running.
	 */
	IN_PROGRESS,

	/**
	 * An earlier attempt vanished, and nobody knows whether it did the work.
	 */
	OUTCOME_UNKNOWN,

	/**
	 * It has run, and its result was not kept.
	 */
	NOT_REPLAYABLE,

	/**
	 * It has run, and its result was asked for more often than is allowed.
	 */
	REPLAY_LIMIT,

	/**
	 * It has run, and its result is kept, but cannot be read.
	 */
	RESULT_UNREADABLE,

	/**
	 * It has run, and its result does not fit into the store.
	 */
	RESULT_TOO_LARGE,

	/**
	 * It has run and failed, and its failure was kept.
	 */
	FAILURE_REPLAYED,

	/**
	 * The store failed or cannot be reached.
	 */
	STORE_UNAVAILABLE

}
