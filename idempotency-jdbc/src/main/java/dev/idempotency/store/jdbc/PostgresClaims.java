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

	PostgresClaims(Statements statements, Outcomes outcomes) {
		this.outcomes = outcomes;
		this.others = new StandardClaims(statements, outcomes);
		this.takeOrRead = statements.fromFile("claim-or-read-postgresql.sql");
		this.takeOrChange = statements.fromFile("claim-postgresql.sql");
	}

	@Override
	public ClaimResult claim(Connection connection, ClaimRequest request) throws SQLException {
		ClaimResult result = inOneStatement(connection, request);
		if (isInProgress(result) && this.outcomes.fold(connection, request.key().digest())) {
			result = inOneStatement(connection, request);
		}
		return (result != null) ? result : this.others.claim(connection, request);
	}

	private @Nullable ClaimResult inOneStatement(Connection connection, ClaimRequest request) throws SQLException {
		return (request.terms().onReplay() == OnReplay.READ) ? takeOrRead(connection, request)
				: takeOrChange(connection, request);
	}

	private static boolean isInProgress(@Nullable ClaimResult result) {
		return result instanceof ClaimResult.Refused refused
				&& refused.record() instanceof IdempotencyRecord.InProgress;
	}

	/**
	 * Takes a key that nobody has, or reads what is there.
	 * @return {@code null} if there is more to do
	 */
	private @Nullable ClaimResult takeOrRead(Connection connection, ClaimRequest request) throws SQLException {
		byte[] id = request.key().digest();
		try (PreparedStatement claim = connection.prepareStatement(this.takeOrRead)) {
			claim.setBytes(1, id);
			claim.setBytes(2, id);
			claim.setBytes(3, request.ownerBytes());
			claim.setBytes(4, request.fingerprint().toBytes());
			claim.setLong(5, request.lease());
			claim.setLong(6, request.ttl());
			claim.setString(7, request.terms().trace());
			request.describe(claim, 8);
			try (ResultSet row = claim.executeQuery()) {
				return row.next() ? read(row, request) : null;
			}
		}
	}

	private static @Nullable ClaimResult read(ResultSet row, ClaimRequest request) throws SQLException {
		int attempt = row.getInt(1);
		boolean completed = row.getBoolean(2);
		if (row.wasNull()) {
			return request.granted(attempt);
		}
		Fingerprint fingerprint = Fingerprint.ofBytes(row.getBytes(5));
		long leaseLeft = row.getLong(4);
		boolean takesOver = !completed && leaseLeft <= 0 && request.terms().onCrash() == OnCrash.RETRY
				&& fingerprint.equals(request.fingerprint());
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
	private @Nullable ClaimResult takeOrChange(Connection connection, ClaimRequest request) throws SQLException {
		byte[] id = request.key().digest();
		byte[] owner = request.ownerBytes();
		try (PreparedStatement claim = connection.prepareStatement(this.takeOrChange)) {
			claim.setBytes(1, id);
			claim.setBytes(2, owner);
			claim.setBytes(3, request.fingerprint().toBytes());
			claim.setString(4, request.terms().onReplay().name());
			claim.setLong(5, request.lease());
			claim.setLong(6, request.ttl());
			claim.setString(7, request.terms().trace());
			claim.setBytes(8, id);
			request.describe(claim, 9);
			try (ResultSet rows = claim.executeQuery()) {
				RecordRow row = RecordRow.next(rows, Dialect.POSTGRESQL);
				if (row == null) {
					throw new SQLException("A claim met neither a record nor the lack of one");
				}
				if (row.isOwnedBy(owner)) {
					return request.granted(row.attempt());
				}
				return row.mayBeClaimed(request.fingerprint(), request.terms()) ? null
						: new ClaimResult.Refused(row.toRecord());
			}
		}
	}

}
