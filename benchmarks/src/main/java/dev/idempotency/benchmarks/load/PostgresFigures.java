package dev.idempotency.benchmarks.load;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import dev.idempotency.benchmarks.Servers;
import dev.idempotency.benchmarks.load.Workload.Kind;

/**
 * Figures of a PostgreSQL, while it has no other clients.
 */
final class PostgresFigures {

	/**
	 * Enough records that partly filled pages do not matter.
	 */
	private static final int RECORDS = 5_000;

	private final Subject subject;

	private final String table;

	private PostgresFigures(Subject subject, String table) {
		this.subject = subject;
		this.table = table;
	}

	/**
	 * Adds what first requests write, and the size of records.
	 */
	static void addTo(Figures figures, Subject floor, Subject subject) {
		PostgresFigures ours = new PostgresFigures(subject, "idempotency_record");
		PostgresFigures theirs = new PostgresFigures(floor, "floor");
		figures.add("bytes of WAL for a first request", ours.walOfARequest(), theirs.walOfARequest(),
				Bar.atMost(1_000, " B"));
		figures.add("HOT updates in %", ours.hotUpdates(), theirs.hotUpdates(), Bar.atLeast(90, " %"));
		figures.add("bytes of a record in PostgreSQL with its indexes, a response of 156 bytes", ours.bytesOfARecord(),
				theirs.bytesOfARecord(), Bar.atMost(480, " B"));
	}

	/**
	 * In a table that holds as many records already, or else its first pages would
	 * matter.
	 */
	private double walOfARequest() {
		makeRecords();
		double before = number("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn");
		makeRecords();
		return (number("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn") - before) / RECORDS;
	}

	/**
	 * The share of all updates until now.
	 */
	private double hotUpdates() {
		return number("select 100.0 * n_tup_hot_upd / greatest(1, n_tup_upd) from pg_stat_user_tables "
				+ "where relname = '%s'".formatted(this.table));
	}

	/**
	 * The size without dead rows, which a full vacuum removes.
	 */
	private double bytesOfARecord() {
		execute("truncate " + this.table);
		makeRecords();
		execute("vacuum full " + this.table);
		return number(
				"select pg_relation_size('%1$s') + (select sum(pg_relation_size(indexrelid)) ".formatted(this.table)
						+ "from pg_index where indrelid = '%s'::regclass)".formatted(this.table))
				/ RECORDS;
	}

	private void makeRecords() {
		this.subject.run(Workload.of(Kind.FIRST).withNote(0), RECORDS);
	}

	private double number(String query) {
		try (Connection connection = connect();
				Statement statement = connection.createStatement();
				ResultSet result = statement.executeQuery(query)) {
			result.next();
			return result.getDouble(1);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void execute(String command) {
		try (Connection connection = connect(); Statement statement = connection.createStatement()) {
			statement.execute(command);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private Connection connect() throws SQLException {
		return DriverManager.getConnection(this.subject.store(Servers.Postgres.class).url());
	}

}
