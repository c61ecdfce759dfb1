package dev.idempotency.transactions;

/**
 * How work is protected.
 */
enum Protection {

	/**
	 * A method with {@code @Idempotent(transactional = true)}.
	 */
	JOINING,

	/**
	 * A method with {@code @Idempotent @Transactional}.
	 */
	ANNOTATED,

	/**
	 * A method with {@code @Idempotent @Transactional(REQUIRES_NEW)}.
	 */
	APART,

	/**
	 * A method with {@code @Idempotent @Transactional(NESTED)}.
	 */
	NESTED,

	/**
	 * A method with {@code @Idempotent(transactional = true) @Transactional(NESTED)}.
	 */
	JOINING_NESTED,

	/**
	 * A method with {@code @Idempotent @Transactional} of the manager of another
	 * database, where it works.
	 */
	OF_OTHER,

	/**
	 * A handler of requests with {@code @Idempotent(transactional = true)}.
	 */
	HANDLER;

	/**
	 * Whether a method can ask for the status of the transaction of its annotation.
	 */
	boolean isAnnotated() {
		return this != JOINING && this != HANDLER;
	}

	/**
	 * Whether the key is completed in the transaction of the work, and not after it.
	 */
	boolean isCompletedInTransaction() {
		return this == JOINING || this == JOINING_NESTED || this == HANDLER;
	}

}
