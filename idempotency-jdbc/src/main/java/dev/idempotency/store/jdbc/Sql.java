package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Runs statements with parameters. The statements of most requests set their parameters
 * themselves, to avoid boxing.
 */
final class Sql {

	private Sql() {
	}

	static int update(Connection connection, String statement, @Nullable Object... parameters) throws SQLException {
		try (PreparedStatement update = prepare(connection, statement, parameters)) {
			return update.executeUpdate();
		}
	}

	static <T> List<T> list(Connection connection, String query, Reader<T> reader, @Nullable Object... parameters)
			throws SQLException {
		List<T> found = new ArrayList<>();
		try (PreparedStatement select = prepare(connection, query, parameters);
				ResultSet rows = select.executeQuery()) {
			while (rows.next()) {
				found.add(reader.read(rows));
			}
		}
		return found;
	}

	/**
	 * Runs statements that no request waits for. The server ends each of them after a
	 * while, even if this process has gone by then.
	 */
	static <T> T bounded(Connection connection, Statements statements, Work<T> work) throws SQLException {
		if (statements.limits == null) {
			return work.run();
		}
		connection.setAutoCommit(false);
		try (Statement limits = connection.createStatement()) {
			limits.execute(statements.limits);
			T result = work.run();
			connection.commit();
			return result;
		}
		catch (SQLException ex) {
			connection.rollback();
			throw ex;
		}
		finally {
			connection.setAutoCommit(true);
		}
	}

	private static PreparedStatement prepare(Connection connection, String text, @Nullable Object... parameters)
			throws SQLException {
		PreparedStatement statement = connection.prepareStatement(text);
		int next = 1;
		for (Object parameter : parameters) {
			if (parameter instanceof byte[] bytes) {
				statement.setBytes(next++, bytes);
			}
			else if (parameter instanceof Long number) {
				statement.setLong(next++, number);
			}
			else if (parameter instanceof Integer number) {
				statement.setInt(next++, number);
			}
			else {
				statement.setString(next++, (String) parameter);
			}
		}
		return statement;
	}

	/**
	 * Maps a row.
	 */
	@FunctionalInterface
	interface Reader<T> {

		T read(ResultSet row) throws SQLException;

	}

	/**
	 * Runs statements.
	 */
	@FunctionalInterface
	interface Work<T> {

		T run() throws SQLException;

	}

}
