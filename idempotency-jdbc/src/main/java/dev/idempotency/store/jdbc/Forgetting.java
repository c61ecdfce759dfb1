package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Forgets a key in any state. The owner of a key in progress loses its claim.
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
			if (Sql.update(this.connection, this.statements.forgetCompleted, id) == 1) {
				return true;
			}
			RecordRow row = RecordRow.read(this.connection, this.statements, id);
			if (row == null || (row.isOver() && (row.isCompleted() || !this.outcomes.fold(this.connection, id)))) {
				return false;
			}
			OwnedRecord record = new OwnedRecord(row.owner(), id);
			if (!row.isOver() && !row.isCompleted() && this.outcomes.fence(this.connection, record)
					&& Sql.update(this.connection, this.statements.forgetOwned, id, record.owner()) == 1) {
				return true;
			}
		}
		throw new SQLException("The key changed on every attempt to forget it");
	}

}
