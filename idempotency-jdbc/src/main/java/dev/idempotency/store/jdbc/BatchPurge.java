package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;

/**
 * Removes one batch of expired records. Skips those that another process is removing or
 * claiming at the same time.
 */
final class BatchPurge {

	private final Statements statements;

	private final Outcomes outcomes;

	BatchPurge(Tables tables) {
		this.statements = tables.statements();
		this.outcomes = tables.outcomes();
	}

	int purge(Connection connection, int limit) throws SQLException {
		this.outcomes.foldAll(connection);
		int purged = this.statements.dialect().picksBeforePurge() ? pickAndPurge(connection, limit)
				: Sql.update(connection, this.statements.purge, limit);
		if (purged < limit) {
			purged += purgeInProgress(connection, limit - purged);
			this.outcomes.purge(connection);
		}
		return purged;
	}

	/**
	 * Removes the few expired records that are still in progress, one by one, because an
	 * owner may be about to complete its record.
	 */
	private int purgeInProgress(Connection connection, int limit) throws SQLException {
		int purged = 0;
		String query = this.statements.overInProgress + this.statements.dialect().page(0, limit);
		for (OwnedRecord record : OwnedRecord.find(connection, query)) {
			if (this.outcomes.fence(connection, record)) {
				purged += Sql.update(connection, this.statements.purgeOwned, record.id(), record.owner());
			}
		}
		return purged;
	}

	/**
	 * Selects the records first, in a transaction of its own, for databases whose delete
	 * cannot skip locked rows.
	 */
	private int pickAndPurge(Connection connection, int limit) throws SQLException {
		int isolation = connection.getTransactionIsolation();
		connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
		connection.setAutoCommit(false);
		try {
			int purged = delete(connection,
					Sql.list(connection, this.statements.purge, (row) -> row.getBytes(1), limit));
			connection.commit();
			return purged;
		}
		catch (SQLException ex) {
			connection.rollback();
			throw ex;
		}
		finally {
			connection.setAutoCommit(true);
			connection.setTransactionIsolation(isolation);
		}
	}

	private int delete(Connection connection, List<byte[]> ids) throws SQLException {
		String parameters = String.join(", ", Collections.nCopies(ids.size(), "?"));
		return ids.isEmpty() ? 0
				: Sql.update(connection, this.statements.deletePicked.formatted(parameters), ids.toArray());
	}

}
