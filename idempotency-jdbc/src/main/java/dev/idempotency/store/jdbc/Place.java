package dev.idempotency.store.jdbc;

/**
 * One of the databases that hold records.
 *
 * @param database the database
 * @param renewals how leases are renewed there
 */
record Place(Database database, Renewals renewals) implements AutoCloseable {

	/**
	 * For operators.
	 */
	@Override
	public String toString() {
		return this.database.toString();
	}

	@Override
	public void close() {
		this.renewals.close();
	}

}
