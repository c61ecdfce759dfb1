package dev.idempotency;

/**
 * What a dry run of an operation does. Where protection is switched off, it is refused.
 */
public enum DryRun {

	/**
	 * It says what would happen, and runs nothing.
	 */
	REPORT,

	/**
	 * Where the operation would run, it runs in a transaction that is rolled back, and
	 * answers as it would have.
	 */
	ROLLBACK

}
