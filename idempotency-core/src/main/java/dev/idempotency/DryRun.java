package dev.idempotency;

/**
 * What a dry run of an operation does. It is refused where protection is disabled.
 */
public enum DryRun {

	/**
	 * Reports what would happen, and runs nothing.
	 */
	REPORT,

	/**
	 * Runs the operation, if it would run, in a transaction that is rolled back, and
	 * returns the response it would have.
	 */
	ROLLBACK

}
