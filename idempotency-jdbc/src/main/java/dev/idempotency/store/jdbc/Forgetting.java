package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * Forgets a key in whatever state it is. Whoever is at work on it learns that it has lost
 * its claim.
 */
final class Forgetting {

	private static final int MOST_TURNS = 1000;

	private final Connection connection;

	private final Statements statements;

	Forgetting(Connection connection, Statements statements) {
		this.connection = connection;
		this.statements = statements;
	}

	boolean forget(byte[] id) throws SQLException {
		for (int turn = 0; turn < MOST_TURNS; turn++) {
			if (forgetCompleted(id)) {
				return true;
			}
			RecordRow row = RecordRow.read(this.connection, this.statements, id);
			if (row == null || (row.isOver() && (row.isCompleted() || !fold(id)))) {
				return false;
			}
			if (!row.isOver() && !row.isCompleted() && fence(id, row) && forgetOwned(id, row)) {
				return true;
			}
		}
		throw new SQLException("A key that is to be forgotten changed again and again");
	}

	private boolean forgetCompleted(byte[] id) throws SQLException {
		try (PreparedStatement delete = this.connection.prepareStatement(this.statements.forgetCompleted)) {
			delete.setBytes(1, id);
			return delete.executeUpdate() == 1;
		}
	}

	private boolean fold(byte[] id) throws SQLException {
		return this.statements.outcomes().fold(this.connection, id);
	}

	private boolean fence(byte[] id, RecordRow row) throws SQLException {
		return this.statements.outcomes().fence(this.connection, id, row.owner());
	}

	private boolean forgetOwned(byte[] id, RecordRow row) throws SQLException {
		try (PreparedStatement delete = this.connection.prepareStatement(this.statements.forgetOwned)) {
			delete.setBytes(1, id);
			delete.setBytes(2, row.owner());
			return delete.executeUpdate() == 1;
		}
	}

}
