package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Removes expired records, or one in any state.
 * <p>
 * A query picks expired records, and another statement removes what it names. A subquery
 * in a delete is repeated for each row by some databases, or by others if their
 * statistics are wrong. Each record is checked again when it is removed, because it may
 * have been claimed in the meantime.
 */
final class Removal {

	/**
	 * How many records a statement names.
	 */
	private static final int MOST_NAMED = 1000;

	private static final int MOST_TURNS = 1000;

	private final Connection connection;

	private final Statements statements;

	private final OutcomeTable outcomes;

	Removal(Connection connection, Tables tables) {
		this.connection = connection;
		this.statements = tables.statements();
		this.outcomes = tables.outcomes();
	}

	int purge(int limit) throws SQLException {
		int purged = 0;
		int most;
		int removed;
		do {
			most = Math.min(limit - purged, MOST_NAMED);
			removed = purgeSome(most);
			purged += removed;
		}
		while (removed == most && purged < limit);
		if (purged < limit) {
			this.outcomes.purge(this.connection);
		}
		return purged;
	}

	private int purgeSome(int limit) throws SQLException {
		List<byte[]> completed = new ArrayList<>();
		List<OwnedRecord> inProgress = new ArrayList<>();
		Sql.bounded(this.connection, this.statements,
				() -> Sql.list(this.connection, this.statements.expired,
						(row) -> RecordRow.isCompleted(row.getInt(3)) ? completed.add(row.getBytes(2))
								: inProgress.add(new OwnedRecord(row.getLong(1), row.getBytes(2))),
						limit));
		return purgeCompleted(completed) + purgeInProgress(inProgress);
	}

	private int purgeCompleted(List<byte[]> ids) throws SQLException {
		String delete = this.statements.purgeCompleted.replace("(?)",
				Collections.nCopies(ids.size(), "?").stream().collect(Collectors.joining(", ", "(", ")")));
		return ids.isEmpty() ? 0 : Sql.bounded(this.connection, this.statements,
				() -> Sql.update(this.connection, delete, ids.toArray()));
	}

	/**
	 * Removes the few expired records that are still in progress, one by one, because an
	 * owner may be about to complete its record.
	 */
	private int purgeInProgress(List<OwnedRecord> records) throws SQLException {
		int purged = 0;
		for (OwnedRecord record : records) {
			if (this.outcomes.fence(this.connection, record)) {
				purged += Sql.update(this.connection, this.statements.purgeInProgress, record.id(), record.owner());
			}
		}
		return purged;
	}

	/**
	 * Forgets a key in any state. The owner of a key in progress loses its claim.
	 */
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
