package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
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
				: purgeAtOnce(connection, limit);
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
				try (PreparedStatement delete = connection.prepareStatement(this.statements.purgeOwned)) {
					delete.setBytes(1, record.id());
					delete.setBytes(2, record.owner());
					purged += delete.executeUpdate();
				}
			}
		}
		return purged;
	}

	private int purgeAtOnce(Connection connection, int limit) throws SQLException {
		try (PreparedStatement delete = connection.prepareStatement(this.statements.purge)) {
			delete.setInt(1, limit);
			return delete.executeUpdate();
		}
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
			int purged = delete(connection, pick(connection, limit));
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

	private List<byte[]> pick(Connection connection, int limit) throws SQLException {
		List<byte[]> ids = new ArrayList<>();
		try (PreparedStatement select = connection.prepareStatement(this.statements.purge)) {
			select.setInt(1, limit);
			try (ResultSet rows = select.executeQuery()) {
				while (rows.next()) {
					ids.add(rows.getBytes(1));
				}
			}
		}
		return ids;
	}

	private int delete(Connection connection, List<byte[]> ids) throws SQLException {
		if (ids.isEmpty()) {
			return 0;
		}
		String parameters = String.join(", ", Collections.nCopies(ids.size(), "?"));
		try (PreparedStatement delete = connection
			.prepareStatement(this.statements.deletePicked.formatted(parameters))) {
			for (int i = 0; i < ids.size(); i++) {
				delete.setBytes(i + 1, ids.get(i));
			}
			return delete.executeUpdate();
		}
	}

}
