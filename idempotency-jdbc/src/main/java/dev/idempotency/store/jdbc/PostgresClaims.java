package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

import dev.idempotency.Fingerprint;
import dev.idempotency.OnCrash;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.OnReplay;
import org.jspecify.annotations.Nullable;

/**
 * Claims in one statement; a short one, if all there is to do is to take a key or to read
 * what is there. Only a key that it finds to be over, or left by one that vanished, is
 * claimed as in other databases; and one that is in progress may have been completed in a
 * transaction.
 */
final class PostgresClaims implements Claims {

	private final Outcomes outcomes;

	private final Claims others;

	private final String takeOrRead;

	private final String takeOrChange;

	PostgresClaims(Statements statements) {
		this.outcomes = statements.outcomes();
		this.others = new StandardClaims(statements);
		this.takeOrRead = statements.fromFile("claim-or-read-postgresql.sql");
		this.takeOrChange = statements.fromFile("claim-postgresql.sql");
	}

	@Override
	public ClaimResult claim(Connection connection, Asked asked) throws SQLException {
		ClaimResult result = inOneStatement(connection, asked);
		if (isInProgress(result) && this.outcomes.fold(connection, asked.key().digest())) {
			result = inOneStatement(connection, asked);
		}
		return (result != null) ? result : this.others.claim(connection, asked);
	}

	private @Nullable ClaimResult inOneStatement(Connection connection, Asked asked) throws SQLException {
		return (asked.terms().onReplay() == OnReplay.READ) ? takeOrRead(connection, asked)
				: takeOrChange(connection, asked);
	}

	private static boolean isInProgress(@Nullable ClaimResult result) {
		return result instanceof ClaimResult.Refused refused
				&& refused.record() instanceof IdempotencyRecord.InProgress;
	}

	/**
	 * Takes a key that nobody has, or reads what is there.
	 * @return {@code null} if there is more to do
	 */
	private @Nullable ClaimResult takeOrRead(Connection connection, Asked asked) throws SQLException {
		byte[] id = asked.key().digest();
		try (PreparedStatement claim = connection.prepareStatement(this.takeOrRead)) {
			claim.setBytes(1, id);
			claim.setBytes(2, id);
			claim.setBytes(3, asked.ownerBytes());
			claim.setBytes(4, asked.fingerprint().toBytes());
			claim.setLong(5, asked.lease());
			claim.setLong(6, asked.ttl());
			claim.setString(7, asked.terms().trace());
			asked.describe(claim, 8);
			try (ResultSet row = claim.executeQuery()) {
				return row.next() ? read(row, asked) : null;
			}
		}
	}

	private static @Nullable ClaimResult read(ResultSet row, Asked asked) throws SQLException {
		int attempt = row.getInt(1);
		boolean completed = row.getBoolean(2);
		if (row.wasNull()) {
			return asked.granted(attempt);
		}
		Fingerprint fingerprint = Fingerprint.ofBytes(row.getBytes(5));
		long leaseLeft = row.getLong(4);
		boolean takesOver = !completed && leaseLeft <= 0 && asked.terms().onCrash() == OnCrash.RETRY
				&& fingerprint.equals(asked.fingerprint());
		if (row.getBoolean(3) || takesOver) {
			return null;
		}
		String trace = row.getString(8);
		return new ClaimResult.Refused(completed
				? new IdempotencyRecord.Completed(fingerprint, attempt, RecordRow.result(row.getBytes(7)),
						row.getLong(6), trace)
				: new IdempotencyRecord.InProgress(fingerprint, attempt, Duration.ofMillis(row.getLong(9)),
						Duration.ofMillis(leaseLeft), trace));
	}

	/**
	 * Takes a key that nobody has, counts a replay, or lets a result live longer.
	 * @return {@code null} if there is more to do
	 */
	private @Nullable ClaimResult takeOrChange(Connection connection, Asked asked) throws SQLException {
		byte[] id = asked.key().digest();
		byte[] owner = asked.ownerBytes();
		try (PreparedStatement claim = connection.prepareStatement(this.takeOrChange)) {
			claim.setBytes(1, id);
			claim.setBytes(2, owner);
			claim.setBytes(3, asked.fingerprint().toBytes());
			claim.setString(4, asked.terms().onReplay().name());
			claim.setLong(5, asked.lease());
			claim.setLong(6, asked.ttl());
			claim.setString(7, asked.terms().trace());
			claim.setBytes(8, id);
			asked.describe(claim, 9);
			try (ResultSet rows = claim.executeQuery()) {
				RecordRow row = RecordRow.next(rows, Dialect.POSTGRESQL);
				if (row == null) {
					throw new SQLException("A claim met neither a record nor the lack of one");
				}
				if (row.isOwnedBy(owner)) {
					return asked.granted(row.attempt());
				}
				return row.mayBeClaimed(asked.fingerprint(), asked.terms()) ? null
						: new ClaimResult.Refused(row.toRecord());
			}
		}
	}

}
