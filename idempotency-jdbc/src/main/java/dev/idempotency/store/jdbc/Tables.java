package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * The tables of a database, and how they are worked on.
 *
 * @param statements the statements
 * @param outcomes the outcomes of transactions
 * @param claims how a key is claimed
 * @param isolation the isolation of transactions
 * @param largestResult the largest result that the server accepts, in bytes
 * @param recent keys that most probably have a record
 */
record Tables(Statements statements, Outcomes outcomes, Claims claims, Isolation isolation, long largestResult,
		RecentKeys recent) {

	static Tables of(Connection connection, JdbcSettings settings) throws SQLException {
		Dialect dialect = Dialect.of(connection);
		Statements statements = new Statements(dialect, settings);
		Outcomes outcomes = new Outcomes(statements);
		RecentKeys recent = new RecentKeys();
		Claims claims = (dialect == Dialect.POSTGRESQL) ? new PostgresClaims(statements, outcomes, recent)
				: new StandardClaims(statements, outcomes, recent);
		return new Tables(statements, outcomes, claims, Isolation.of(connection, dialect),
				dialect.largestResult(connection), recent);
	}

	Dialect dialect() {
		return this.statements.dialect();
	}

}
