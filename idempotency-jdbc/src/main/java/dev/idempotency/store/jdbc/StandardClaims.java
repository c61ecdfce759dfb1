package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.OnReplay;
import org.jspecify.annotations.Nullable;

/**
 * Claims in a few statements that any database has, each committed by itself.
 * <p>
 * A first claim is one insert. Whoever finds that the key is there reads it, and changes
 * it only if it still is what was read: who owned it, and in which attempt. That happens
 * to one of many; the others look again. An owner that loses a key in progress is fenced
 * off first.
 */
final class StandardClaims implements Claims {

	private static final int MOST_TURNS = 1000;

	private final Statements statements;

	StandardClaims(Statements statements) {
		this.statements = statements;
	}

	@Override
	public ClaimResult claim(Connection connection, Asked asked) throws SQLException {
		byte[] id = asked.key().digest();
		for (int turn = 0; turn < MOST_TURNS; turn++) {
			if (insert(connection, id, asked)) {
				return asked.granted(1);
			}
			RecordRow row = RecordRow.read(connection, this.statements, id);
			ClaimResult result = (row != null) ? claimWhatIsThere(connection, id, row, asked) : null;
			if (result != null) {
				return result;
			}
		}
		throw new SQLException("A claim met others again and again");
	}

	/**
	 * Claims a key that is there.
	 * @return {@code null} if it is no longer what it was
	 */
	private @Nullable ClaimResult claimWhatIsThere(Connection connection, byte[] id, RecordRow row, Asked asked)
			throws SQLException {
		if (row.mayBeClaimed(asked.fingerprint(), asked.terms())) {
			boolean isFree = row.isCompleted() || this.statements.outcomes().fence(connection, id, row.owner());
			return isFree ? claimWhatIsFree(connection, id, row, asked) : null;
		}
		if (row.isReplayedTo(asked.fingerprint())) {
			return replay(connection, id, row, asked);
		}
		boolean isCompletedAfterAll = !row.isCompleted() && this.statements.outcomes().fold(connection, id);
		return isCompletedAfterAll ? null : new ClaimResult.Refused(row.toRecord());
	}

	/**
	 * Claims a key that nobody can complete any more.
	 * @return {@code null} if it is no longer what it was
	 */
	private @Nullable ClaimResult claimWhatIsFree(Connection connection, byte[] id, RecordRow row, Asked asked)
			throws SQLException {
		if (row.isOver()) {
			return restart(connection, id, row, asked) ? asked.granted(1) : null;
		}
		return takeOver(connection, id, row, asked) ? asked.granted(row.attempt() + 1) : null;
	}

	/**
	 * Gives out a result.
	 * @return {@code null} if it is no longer what it was
	 */
	private @Nullable ClaimResult replay(Connection connection, byte[] id, RecordRow row, Asked asked)
			throws SQLException {
		boolean stillThere = switch (asked.terms().onReplay()) {
			case READ -> true;
			case COUNT -> countReplay(connection, id, row);
			case EXTEND -> row.outlives(asked.terms().ttl()) || extend(connection, id, row, asked);
		};
		long replays = row.replays() + ((asked.terms().onReplay() == OnReplay.COUNT) ? 1 : 0);
		return stillThere ? new ClaimResult.Refused(row.toRecord(replays)) : null;
	}

	/**
	 * Claims a key that is not there.
	 * @return {@code false} if it is
	 */
	private boolean insert(Connection connection, byte[] id, Asked asked) throws SQLException {
		try (PreparedStatement insert = connection.prepareStatement(this.statements.insert)) {
			insert.setBytes(1, id);
			int next = asked.describe(insert, 2);
			insert.setBytes(next++, asked.ownerBytes());
			insert.setBytes(next++, asked.fingerprint().toBytes());
			insert.setLong(next++, asked.lease());
			insert.setLong(next++, asked.ttl());
			insert.setString(next, asked.terms().trace());
			return insert.executeUpdate() == 1;
		}
		catch (SQLException ex) {
			if (this.statements.dialect().isDuplicate(ex)) {
				return false;
			}
			throw ex;
		}
	}

	private boolean restart(Connection connection, byte[] id, RecordRow row, Asked asked) throws SQLException {
		try (PreparedStatement update = connection.prepareStatement(this.statements.restart)) {
			update.setBytes(1, asked.ownerBytes());
			update.setBytes(2, asked.fingerprint().toBytes());
			update.setLong(3, asked.lease());
			update.setLong(4, asked.ttl());
			update.setString(5, asked.terms().trace());
			update.setBytes(6, id);
			update.setBytes(7, row.owner());
			update.setInt(8, row.attempt());
			return update.executeUpdate() == 1;
		}
	}

	private boolean takeOver(Connection connection, byte[] id, RecordRow row, Asked asked) throws SQLException {
		try (PreparedStatement update = connection.prepareStatement(this.statements.takeOver)) {
			update.setBytes(1, asked.ownerBytes());
			update.setLong(2, asked.lease());
			update.setLong(3, asked.ttl());
			update.setString(4, asked.terms().trace());
			update.setBytes(5, id);
			update.setBytes(6, row.owner());
			update.setInt(7, row.attempt());
			return update.executeUpdate() == 1;
		}
	}

	private boolean countReplay(Connection connection, byte[] id, RecordRow row) throws SQLException {
		try (PreparedStatement update = connection.prepareStatement(this.statements.countReplay)) {
			update.setBytes(1, id);
			update.setBytes(2, row.owner());
			update.setLong(3, row.replays());
			return update.executeUpdate() == 1;
		}
	}

	private boolean extend(Connection connection, byte[] id, RecordRow row, Asked asked) throws SQLException {
		try (PreparedStatement update = connection.prepareStatement(this.statements.extend)) {
			update.setLong(1, asked.ttl());
			update.setLong(2, asked.ttl());
			update.setBytes(3, id);
			update.setBytes(4, row.owner());
			return update.executeUpdate() == 1;
		}
	}

}
