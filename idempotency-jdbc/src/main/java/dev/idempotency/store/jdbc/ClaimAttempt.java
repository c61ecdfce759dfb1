package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.KeyDescription;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.jdbc.Database.ConnectionWork;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to claim a key, in as many turns as others force on it.
 * <p>
 * Each turn takes a free key or reads its record, and changes a record only if owner and
 * attempt are still the same. One of several concurrent claims succeeds, and the others
 * read again. An owner that loses a key in progress is fenced off first.
 */
final class ClaimAttempt implements ConnectionWork<ClaimResult> {

	private static final int MOST_TURNS = 1000;

	private final IdempotencyKey key;

	private final byte[] id;

	private final Fingerprint fingerprint;

	private final ClaimTerms terms;

	private final @Nullable Object place;

	private @Nullable UUID owner;

	ClaimAttempt(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms, @Nullable Object place) {
		this.key = key;
		this.id = key.digest();
		this.fingerprint = fingerprint;
		this.terms = terms;
		this.place = place;
	}

	@Override
	public ClaimResult on(Connection connection, Tables tables) throws SQLException {
		tables.outcomes().foldCommitted(connection);
		boolean isThere = tables.recent().contains(this.id);
		for (int turn = 0; turn < MOST_TURNS; turn++) {
			Seen seen = (tables.dialect() == Dialect.POSTGRESQL) ? takeOrReadAtOnce(connection, tables, isThere)
					: takeOrRead(connection, tables, isThere);
			if (seen.taken()) {
				return granted(1);
			}
			RecordRow row = seen.row();
			isThere = row != null;
			if (row == null) {
				tables.recent().remove(this.id);
				continue;
			}
			if (row.isCompleted()) {
				tables.recent().add(this.id);
			}
			ClaimResult result = claimWhatIsThere(connection, tables, row, seen.changed());
			if (result != null) {
				return result;
			}
		}
		throw new SQLException("The key changed on every attempt to claim it");
	}

	/**
	 * Takes a free key first, because most claims are first ones.
	 */
	private Seen takeOrRead(Connection connection, Tables tables, boolean isThere) throws SQLException {
		return (!isThere && insert(connection, tables)) ? new Seen(true, false, null) : new Seen(false, false,
				RecordRow.read(connection, tables.statements(), this.id, this.terms.onReplay()));
	}

	private boolean insert(Connection connection, Tables tables) throws SQLException {
		try (PreparedStatement insert = connection.prepareStatement(tables.statements().insert)) {
			describe(insert, 1);
			return insert.executeUpdate() == 1;
		}
		catch (SQLException ex) {
			if (tables.dialect().isDuplicate(ex)) {
				return false;
			}
			throw ex;
		}
	}

	/**
	 * The same in one round trip: plain statements in one text, which are one transaction
	 * at READ COMMITTED. Each sees what is committed when it runs. Another claim may come
	 * in between, so the count of the insert decides whether the claim is granted.
	 * Compared with the insert alone, a first claim costs the server a quarter more, and
	 * the replay of a key that is not a recent one saves one of two round trips.
	 */
	private Seen takeOrReadAtOnce(Connection connection, Tables tables, boolean isThere) throws SQLException {
		OnReplay onReplay = this.terms.onReplay();
		Statements statements = tables.statements();
		String text = isThere ? statements.read(onReplay) : statements.readThenTake(onReplay);
		try (PreparedStatement claim = connection.prepareStatement(text)) {
			int next = 1;
			if (onReplay == OnReplay.EXTEND) {
				claim.setLong(next++, this.terms.ttl().toMillis());
				claim.setLong(next++, this.terms.ttl().toMillis());
			}
			if (onReplay != OnReplay.READ) {
				claim.setBytes(next++, this.id);
				claim.setBytes(next++, this.fingerprint.toBytes());
			}
			claim.setBytes(next++, this.id);
			if (!isThere) {
				describe(claim, next);
			}
			boolean changed = !claim.execute() && claim.getUpdateCount() == 1;
			if (onReplay != OnReplay.READ) {
				claim.getMoreResults();
			}
			try (ResultSet rows = claim.getResultSet()) {
				RecordRow row = RecordRow.next(rows, tables.dialect(), onReplay);
				boolean taken = !isThere && !claim.getMoreResults() && claim.getUpdateCount() == 1;
				return new Seen(taken, changed, row);
			}
		}
	}

	/**
	 * Sets the parameters of an insert, starting at the given index.
	 */
	private void describe(PreparedStatement insert, int first) throws SQLException {
		KeyDescription description = KeyDescription.of(this.key);
		int next = first;
		insert.setBytes(next++, this.id);
		insert.setString(next++, description.namespace());
		insert.setString(next++, description.operation());
		insert.setString(next++, description.principal());
		insert.setString(next++, description.tenant());
		insert.setString(next++, description.key());
		insert.setLong(next++, OwnedRecord.number(owner()));
		insert.setBytes(next++, this.fingerprint.toBytes());
		insert.setLong(next++, this.terms.lease().toMillis());
		insert.setLong(next++, this.terms.ttl().toMillis());
		insert.setString(next, this.terms.trace());
	}

	/**
	 * Claims a key that has a record.
	 * @param changed whether the replay was counted, or has extended the ttl
	 * @return {@code null} if it is no longer what it was
	 */
	private @Nullable ClaimResult claimWhatIsThere(Connection connection, Tables tables, RecordRow row, boolean changed)
			throws SQLException {
		if (row.mayBeClaimed(this.fingerprint, this.terms)) {
			boolean isFree = row.isCompleted()
					|| tables.outcomes().fence(connection, new OwnedRecord(row.owner(), this.id));
			return isFree ? claimWhatIsFree(connection, tables.statements(), row) : null;
		}
		if (row.isReplayedTo(this.fingerprint)) {
			return replay(connection, tables.statements(), row, changed);
		}
		if (!row.isCompleted() && tables.outcomes().fold(connection, this.id)) {
			return null;
		}
		// An earlier try on another connection may have claimed the key, and its reply
		// was lost
		boolean isOurs = !row.isCompleted() && this.owner != null && row.isOwnedBy(OwnedRecord.number(this.owner));
		return isOurs ? granted(row.attempt()) : new ClaimResult.Refused(row.toRecord());
	}

	/**
	 * Claims a key that no owner can complete anymore.
	 * @return {@code null} if it is no longer what it was
	 */
	private @Nullable ClaimResult claimWhatIsFree(Connection connection, Statements statements, RecordRow row)
			throws SQLException {
		Long owner = OwnedRecord.number(owner());
		Long lease = this.terms.lease().toMillis();
		Long ttl = this.terms.ttl().toMillis();
		if (row.isOver()) {
			return (Sql.update(connection, statements.restart, owner, this.fingerprint.toBytes(), lease, ttl,
					this.terms.trace(), this.id, row.owner(), row.attempt()) == 1) ? granted(1) : null;
		}
		return (Sql.update(connection, statements.takeOver, owner, lease, ttl, this.terms.trace(), this.id, row.owner(),
				row.attempt()) == 1) ? granted(row.attempt() + 1) : null;
	}

	/**
	 * Replays a result.
	 * @return {@code null} if it is no longer what it was
	 */
	private @Nullable ClaimResult replay(Connection connection, Statements statements, RecordRow row, boolean changed)
			throws SQLException {
		OnReplay onReplay = this.terms.onReplay();
		Long ttl = this.terms.ttl().toMillis();
		boolean stillThere = changed || switch (onReplay) {
			case READ -> true;
			case COUNT -> Sql.update(connection, statements.countReplay, this.id, row.owner(), row.replays()) == 1;
			case EXTEND -> row.outlives(this.terms.ttl())
					|| Sql.update(connection, statements.extend, ttl, ttl, this.id, row.owner()) == 1;
		};
		long replays = row.replays() + ((onReplay == OnReplay.COUNT && !changed) ? 1 : 0);
		return stillThere ? new ClaimResult.Refused(row.toRecord(replays)) : null;
	}

	/**
	 * Creates the owner on first use. A claim that only reads needs none, and a random
	 * UUID is expensive.
	 */
	private UUID owner() {
		UUID known = this.owner;
		if (known == null) {
			known = UUID.randomUUID();
			this.owner = known;
		}
		return known;
	}

	private ClaimResult granted(int attempt) {
		return new ClaimResult.Granted(new Claim(this.key, owner(), attempt, this.place));
	}

	/**
	 * What a turn began with.
	 *
	 * @param taken whether the key was free and is taken now
	 * @param changed whether the replay was counted, or has extended the ttl
	 * @param row the record, if there is one
	 */
	private record Seen(boolean taken, boolean changed, @Nullable RecordRow row) {
	}

}
