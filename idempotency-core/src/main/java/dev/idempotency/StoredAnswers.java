package dev.idempotency;

/**
 * Which responses of an operation are stored.
 */
public enum StoredAnswers {

	/**
	 * Those that the application's response policy names.
	 */
	BY_POLICY,

	/**
	 * Those with a status below 400: after an error of any kind a retry runs again.
	 */
	SUCCESSFUL,

	/**
	 * All of them, server errors included: the operation runs once, whatever its result.
	 */
	ALL

}
