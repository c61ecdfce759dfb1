package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import dev.idempotency.OnCrash;
import dev.idempotency.store.ClaimResult;

/**
 * Claims in one statement.
 */
final class PostgresClaims implements Claims {

	private final String statement;

	PostgresClaims(Statements statements) {
		this.statement = statements.fromFile("claim-postgresql.sql");
	}

	@Override
	public ClaimResult claim(Connection connection, Asked asked) throws SQLException {
		byte[] id = asked.key().digest();
		byte[] owner = asked.ownerBytes();
		try (PreparedStatement claim = connection.prepareStatement(this.statement)) {
			claim.setBytes(1, id);
			claim.setBytes(2, owner);
			claim.setBytes(3, asked.fingerprint().toBytes());
			claim.setBoolean(4, asked.terms().onCrash() == OnCrash.RETRY);
			claim.setString(5, asked.terms().onReplay().name());
			claim.setLong(6, asked.lease());
			claim.setLong(7, asked.ttl());
			claim.setString(8, asked.terms().trace());
			claim.setBytes(9, id);
			asked.describe(claim, 10);
			try (ResultSet rows = claim.executeQuery()) {
				RecordRow row = RecordRow.next(rows, Dialect.POSTGRESQL);
				if (row == null) {
					throw new SQLException("A claim met neither a record nor the lack of one");
				}
				return row.isOwnedBy(owner) ? asked.granted(row.attempt()) : new ClaimResult.Refused(row.toRecord());
			}
		}
	}

}
