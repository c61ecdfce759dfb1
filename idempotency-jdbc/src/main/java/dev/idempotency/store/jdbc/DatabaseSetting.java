package dev.idempotency.store.jdbc;

import dev.idempotency.Setting;

/**
 * The settings of the store in a database.
 */
public enum DatabaseSetting implements Setting {

	/**
	 * The name of its table.
	 */
	TABLE("the name of the table"),

	/**
	 * How long to wait for the database.
	 */
	TIMEOUT("the timeout of the database"),

	/**
	 * When the tables are created.
	 */
	INITIALIZE_SCHEMA("initialize-schema");

	private final String words;

	DatabaseSetting(String words) {
		this.words = words;
	}

	@Override
	public String words() {
		return this.words;
	}

}
