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

	private final Outcomes outcomes;

	Forgetting(Connection connection, Tables tables) {
		this.connection = connection;
		this.statements = tables.statements();
		this.outcomes = tables.outcomes();
	}

	boolean forget(byte[] id) throws SQLException {
		for (int turn = 0; turn < MOST_TURNS; turn++) {
			if (forgetCompleted(id)) {
				return true;
			}
			RecordRow row = RecordRow.read(this.connection, this.statements, id);
			if (row == null || (row.isOver() && (row.isCompleted() || !this.outcomes.fold(this.connection, id)))) {
				return false;
			}
			OwnedRecord record = new OwnedRecord(row.owner(), id);
			if (!row.isOver() && !row.isCompleted() && this.outcomes.fence(this.connection, record)
					&& forgetOwned(record)) {
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

	private boolean forgetOwned(OwnedRecord record) throws SQLException {
		try (PreparedStatement delete = this.connection.prepareStatement(this.statements.forgetOwned)) {
			delete.setBytes(1, record.id());
			delete.setBytes(2, record.owner());
			return delete.executeUpdate() == 1;
		}
	}

}
