package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;

/**
 * Removes one batch of records whose time is over, past those that someone else is
 * removing, or taking anew, at the moment.
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
	 * Removes what has come to no end, of which there is little, one after the other: its
	 * owner may still be about to complete it.
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
	 * Where a delete cannot skip what others hold, they are picked first, in a
	 * transaction that holds nothing else.
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
