package dev.idempotency.store.jdbc;

import javax.sql.DataSource;

/**
 * One of the databases in which records are kept.
 *
 * @param database the database
 * @param renewals how leases are renewed there
 */
record Place(Database database, Renewals renewals) implements AutoCloseable {

	/**
	 * Create a place.
	 * @param dataSource where its connections come from
	 * @param managed whose connections transactions use
	 * @param settings where and how records are kept
	 * @param renewals where the connection of renewals comes from
	 */
	static Place of(DataSource dataSource, DataSource managed, JdbcSettings settings, RenewalDataSources renewals) {
		Database database = new Database(dataSource, managed, settings);
		return new Place(database, new Renewals(database, renewals.beside(dataSource)));
	}

	@Override
	public void close() {
		this.renewals.close();
	}

}
