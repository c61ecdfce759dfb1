package dev.idempotency;

/**
 * The effect of an operation.
 */
public enum Effect {

	/**
	 * Inferred from the response: a 201 created something, a successful PUT or PATCH
	 * updated it, a successful DELETE deleted it, anything else was executed.
	 */
	INFERRED,

	/**
	 * Something was created.
	 */
	CREATED,

	/**
	 * Something was updated.
	 */
	UPDATED,

	/**
	 * Something was deleted.
	 */
	DELETED,

	/**
	 * The operation ran.
	 */
	EXECUTED

}
