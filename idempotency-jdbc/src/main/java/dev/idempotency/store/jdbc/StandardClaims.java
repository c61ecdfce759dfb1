package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.OnReplay;
import org.jspecify.annotations.Nullable;

/**
 * Claims with a few standard statements, each committed by itself.
 * <p>
 * A first claim is one insert. If the key exists, or is a recent one, the claim reads its
 * record, and changes it only if owner and attempt are still the same. One of several
 * concurrent claims succeeds, and the others read again. An owner that loses a key in
 * progress is fenced off first.
 */
final class StandardClaims implements Claims {

	private static final int MOST_TURNS = 1000;

	private final Statements statements;

	private final Outcomes outcomes;

	private final RecentKeys recent;

	StandardClaims(Statements statements, Outcomes outcomes, RecentKeys recent) {
		this.statements = statements;
		this.outcomes = outcomes;
		this.recent = recent;
	}

	@Override
	public ClaimResult claim(Connection connection, ClaimRequest request) throws SQLException {
		byte[] id = request.key().digest();
		boolean isThere = this.recent.contains(id);
		for (int turn = 0; turn < MOST_TURNS; turn++) {
			if (!isThere && insert(connection, id, request)) {
				return request.granted(1);
			}
			RecordRow row = RecordRow.read(connection, this.statements, id);
			isThere = row != null;
			if (row == null) {
				this.recent.remove(id);
			}
			else if (row.isCompleted()) {
				this.recent.add(id);
			}
			ClaimResult result = (row != null) ? claimWhatIsThere(connection, id, row, request) : null;
			if (result != null) {
				return result;
			}
		}
		throw new SQLException("The key changed on every attempt to claim it");
	}

	/**
	 * Claims a key that has a record.
	 * @return {@code null} if it is no longer what it was
	 */
	private @Nullable ClaimResult claimWhatIsThere(Connection connection, byte[] id, RecordRow row,
			ClaimRequest request) throws SQLException {
		if (row.mayBeClaimed(request.fingerprint(), request.terms())) {
			boolean isFree = row.isCompleted() || this.outcomes.fence(connection, new OwnedRecord(row.owner(), id));
			return isFree ? claimWhatIsFree(connection, id, row, request) : null;
		}
		if (row.isReplayedTo(request.fingerprint())) {
			return replay(connection, id, row, request);
		}
		boolean isCompletedAfterAll = !row.isCompleted() && this.outcomes.fold(connection, id);
		return isCompletedAfterAll ? null : new ClaimResult.Refused(row.toRecord());
	}

	/**
	 * Claims a key that no owner can complete anymore.
	 * @return {@code null} if it is no longer what it was
	 */
	private @Nullable ClaimResult claimWhatIsFree(Connection connection, byte[] id, RecordRow row, ClaimRequest request)
			throws SQLException {
		if (row.isOver()) {
			return restart(connection, id, row, request) ? request.granted(1) : null;
		}
		return takeOver(connection, id, row, request) ? request.granted(row.attempt() + 1) : null;
	}

	/**
	 * Replays a result.
	 * @return {@code null} if it is no longer what it was
	 */
	private @Nullable ClaimResult replay(Connection connection, byte[] id, RecordRow row, ClaimRequest request)
			throws SQLException {
		boolean stillThere = switch (request.terms().onReplay()) {
			case READ -> true;
			case COUNT -> countReplay(connection, id, row);
			case EXTEND -> row.outlives(request.terms().ttl()) || extend(connection, id, row, request);
		};
		long replays = row.replays() + ((request.terms().onReplay() == OnReplay.COUNT) ? 1 : 0);
		return stillThere ? new ClaimResult.Refused(row.toRecord(replays)) : null;
	}

	/**
	 * Claims a key that has no record.
	 * @return {@code false} if it has one
	 */
	private boolean insert(Connection connection, byte[] id, ClaimRequest request) throws SQLException {
		try (PreparedStatement insert = connection.prepareStatement(this.statements.insert)) {
			insert.setBytes(1, id);
			int next = request.describe(insert, 2);
			insert.setLong(next++, request.ownerNumber());
			insert.setBytes(next++, request.fingerprint().toBytes());
			insert.setLong(next++, request.lease());
			insert.setLong(next++, request.ttl());
			insert.setString(next, request.terms().trace());
			return insert.executeUpdate() == 1;
		}
		catch (SQLException ex) {
			if (this.statements.dialect().isDuplicate(ex)) {
				return false;
			}
			throw ex;
		}
	}

	private boolean restart(Connection connection, byte[] id, RecordRow row, ClaimRequest request) throws SQLException {
		return Sql.update(connection, this.statements.restart, request.ownerNumber(), request.fingerprint().toBytes(),
				request.lease(), request.ttl(), request.terms().trace(), id, row.owner(), row.attempt()) == 1;
	}

	private boolean takeOver(Connection connection, byte[] id, RecordRow row, ClaimRequest request)
			throws SQLException {
		return Sql.update(connection, this.statements.takeOver, request.ownerNumber(), request.lease(), request.ttl(),
				request.terms().trace(), id, row.owner(), row.attempt()) == 1;
	}

	private boolean countReplay(Connection connection, byte[] id, RecordRow row) throws SQLException {
		return Sql.update(connection, this.statements.countReplay, id, row.owner(), row.replays()) == 1;
	}

	private boolean extend(Connection connection, byte[] id, RecordRow row, ClaimRequest request) throws SQLException {
		return Sql.update(connection, this.statements.extend, request.ttl(), request.ttl(), id, row.owner()) == 1;
	}

}
