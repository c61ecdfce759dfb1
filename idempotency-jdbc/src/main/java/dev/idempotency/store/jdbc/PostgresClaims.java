package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;

import dev.idempotency.Fingerprint;
import dev.idempotency.OnCrash;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.OnReplay;
import org.jspecify.annotations.Nullable;

/**
 * Claims in one round trip. To claim a free key or read its record takes two plain
 * statements, sent together, because one statement that does both costs the server more.
 * For a recent key, the read alone is sent. An expired or abandoned key is claimed as in
 * other databases. A key in progress may have been completed in a transaction.
 */
final class PostgresClaims implements Claims {

	private final Outcomes outcomes;

	private final RecentKeys recent;

	private final Claims others;

	private final String read;

	private final String readThenTake;

	private final String takeOrChange;

	PostgresClaims(Statements statements, Outcomes outcomes, RecentKeys recent) {
		this.outcomes = outcomes;
		this.recent = recent;
		this.others = new StandardClaims(statements, outcomes, recent);
		this.read = statements.fromFile("read-postgresql.sql");
		this.readThenTake = this.read + "; " + statements.fromFile("take-postgresql.sql");
		this.takeOrChange = statements.fromFile("claim-postgresql.sql");
	}

	@Override
	public ClaimResult claim(Connection connection, ClaimRequest request) throws SQLException {
		ClaimResult result = inOneRoundTrip(connection, request);
		if (isInProgress(result) && this.outcomes.fold(connection, request.key().digest())) {
			result = inOneRoundTrip(connection, request);
		}
		return (result != null) ? result : this.others.claim(connection, request);
	}

	private @Nullable ClaimResult inOneRoundTrip(Connection connection, ClaimRequest request) throws SQLException {
		return (request.terms().onReplay() == OnReplay.READ) ? takeOrRead(connection, request)
				: takeOrChange(connection, request);
	}

	private static boolean isInProgress(@Nullable ClaimResult result) {
		return result instanceof ClaimResult.Refused refused
				&& refused.record() instanceof IdempotencyRecord.InProgress;
	}

	/**
	 * Claims a free key, or reads its record.
	 * @return {@code null} if there is more to do
	 */
	private @Nullable ClaimResult takeOrRead(Connection connection, ClaimRequest request) throws SQLException {
		byte[] id = request.key().digest();
		if (this.recent.contains(id)) {
			try (PreparedStatement select = connection.prepareStatement(this.read)) {
				select.setBytes(1, id);
				try (ResultSet row = select.executeQuery()) {
					if (row.next()) {
						return read(row, request, id);
					}
				}
			}
			this.recent.remove(id);
		}
		return readThenTake(connection, request, id);
	}

	/**
	 * Both statements run, and each sees what is committed when it runs. Another claim
	 * may come in between, so the second statement decides whether the claim is granted.
	 */
	private @Nullable ClaimResult readThenTake(Connection connection, ClaimRequest request, byte[] id)
			throws SQLException {
		try (PreparedStatement claim = connection.prepareStatement(this.readThenTake)) {
			claim.setBytes(1, id);
			claim.setBytes(2, id);
			claim.setLong(3, request.ownerNumber());
			claim.setBytes(4, request.fingerprint().toBytes());
			claim.setLong(5, request.lease());
			claim.setLong(6, request.ttl());
			claim.setString(7, request.terms().trace());
			request.describe(claim, 8);
			claim.execute();
			try (ResultSet row = claim.getResultSet()) {
				boolean isThere = row.next();
				claim.getMoreResults(Statement.KEEP_CURRENT_RESULT);
				if (claim.getUpdateCount() == 1) {
					return request.granted(1);
				}
				return isThere ? read(row, request, id) : null;
			}
		}
	}

	private @Nullable ClaimResult read(ResultSet row, ClaimRequest request, byte[] id) throws SQLException {
		boolean completed = RecordRow.isCompleted(row.getInt(1));
		Fingerprint fingerprint = Fingerprint.ofBytes(row.getBytes(4));
		if (row.getBoolean(2)) {
			return null;
		}
		int attempt = row.getInt(3);
		String trace = row.getString(7);
		if (completed) {
			this.recent.add(id);
			return new ClaimResult.Refused(new IdempotencyRecord.Completed(fingerprint, attempt,
					RecordRow.result(row.getBytes(6)), row.getLong(5), trace));
		}
		Instant now = RecordRow.time(row, 10, Dialect.POSTGRESQL);
		Duration leaseLeft = Duration.between(now, RecordRow.time(row, 9, Dialect.POSTGRESQL));
		boolean isAbandoned = leaseLeft.isNegative() || leaseLeft.isZero();
		if (isAbandoned && request.terms().onCrash() == OnCrash.RETRY && fingerprint.equals(request.fingerprint())) {
			return null;
		}
		Duration age = Duration.between(RecordRow.time(row, 8, Dialect.POSTGRESQL), now);
		return new ClaimResult.Refused(new IdempotencyRecord.InProgress(fingerprint, attempt, age, leaseLeft, trace));
	}

	/**
	 * Claims a free key, counts a replay, or extends the ttl of a result.
	 * @return {@code null} if there is more to do
	 */
	private @Nullable ClaimResult takeOrChange(Connection connection, ClaimRequest request) throws SQLException {
		byte[] id = request.key().digest();
		long owner = request.ownerNumber();
		try (PreparedStatement claim = connection.prepareStatement(this.takeOrChange)) {
			claim.setBytes(1, id);
			claim.setLong(2, owner);
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
					throw new SQLException("The claim statement returned no row");
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
