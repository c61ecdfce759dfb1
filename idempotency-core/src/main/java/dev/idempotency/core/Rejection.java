package dev.idempotency.core;

/**
 * Why a request is turned away before its key is looked up.
 */
public enum Rejection {

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
	BODY_UNREADABLE

}
