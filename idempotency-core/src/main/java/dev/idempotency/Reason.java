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
	 * The key is too old, or its time is in the future, and nothing is stored under it.
	 */
	KEY_EXPIRED,

	/**
	 * The request body is larger than the limit.
	 */
	BODY_TOO_LARGE,

	/**
	 * The request body could not be read completely.
	 */
	BODY_UNREADABLE,

	/**
	 * The request for a dry run is malformed.
	 */
	DRY_RUN_INVALID,

	/**
	 * A dry run is not possible: the store cannot be inspected, or protection is
	 * disabled.
	 */
	DRY_RUN_UNSUPPORTED,

	/**
	 * The key was used for a different request.
	 */
	KEY_REUSED,

	/**
	 * The key is in progress.
	 */
	IN_PROGRESS,

	/**
	 * The key is abandoned, and whether its attempt did the work is unknown.
	 */
	OUTCOME_UNKNOWN,

	/**
	 * The operation has run, and its result was not stored.
	 */
	NOT_REPLAYABLE,

	/**
	 * The operation has run, and its result was replayed as often as is allowed.
	 */
	REPLAY_LIMIT,

	/**
	 * The operation has run, and the application denies its result to this caller.
	 */
	REPLAY_DENIED,

	/**
	 * The operation has run, and its stored result cannot be read.
	 */
	RESULT_UNREADABLE,

	/**
	 * The operation has run, and its result does not fit into the store.
	 */
	RESULT_TOO_LARGE,

	/**
	 * The operation has run and failed, and its failure was stored.
	 */
	FAILURE_REPLAYED,

	/**
	 * The store failed or cannot be reached.
	 */
	STORE_UNAVAILABLE

}
