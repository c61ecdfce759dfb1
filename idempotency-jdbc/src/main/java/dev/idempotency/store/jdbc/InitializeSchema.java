package dev.idempotency.store.jdbc;

/**
 * When to create the table.
 */
public enum InitializeSchema {

	/**
	 * Always, where it is missing.
	 */
	ALWAYS,

	/**
	 * Where the database runs inside the application.
	 */
	EMBEDDED,

	/**
	 * Never.
	 */
	NEVER

}
