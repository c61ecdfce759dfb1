package dev.idempotency.store.jdbc;

import javax.sql.DataSource;

/**
 * One of the databases in which records are kept.
 */
final class Place implements AutoCloseable {

	private final Database database;

	private final TableSchema schema;

	private final Renewals renewals;

	/**
	 * Create a place.
	 * @param dataSource where its connections come from
	 * @param managed whose connections transactions use
	 * @param settings where and how records are kept
	 * @param renewals where the connection of renewals comes from
	 */
	Place(DataSource dataSource, DataSource managed, JdbcSettings settings, RenewalDataSources renewals) {
		this.database = new Database(dataSource, managed, settings);
		this.schema = new TableSchema(settings);
		this.renewals = new Renewals(this.database, renewals.beside(dataSource));
	}

	Database database() {
		return this.database;
	}

	TableSchema schema() {
		return this.schema;
	}

	Renewals renewals() {
		return this.renewals;
	}

	@Override
	public void close() {
		this.renewals.close();
	}

}
