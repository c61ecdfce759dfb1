package dev.idempotency;

/**
 * What an operation did to the world.
 */
public enum Effect {

	/**
	 * To be inferred from the answer: a 201 created something, a successful PUT or PATCH
	 * updated it, a successful DELETE deleted it, anything else was executed.
	 */
	INFERRED,

	/**
	 * Something new is there.
	 */
	CREATED,

	/**
	 * Something has changed.
	 */
	UPDATED,

	/**
	 * Something is gone.
	 */
	DELETED,

	/**
	 * It ran.
	 */
	EXECUTED

}
