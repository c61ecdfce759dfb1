package dev.idempotency.store.jdbc;

import java.lang.reflect.Field;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.idempotency.servers.MariaDbServer;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * The plans of all statements in databases other than PostgreSQL, with statistics from
 * empty tables where the database has any.
 */
class StatementPlansTests {

	/**
	 * They read the outcome table, in which there is next to nothing.
	 */
	private static final List<String> READ_OUTCOMES = List.of("withResult", "fencesOver");

	@TempDir
	private static Path folder;

	static Stream<Arguments> databases() {
		return Stream.of(
				Arguments.of(Named.of("H2", "jdbc:h2:mem:plans;DB_CLOSE_DELAY=-1"), "explain ", "analyze", "tableScan"),
				Arguments.of(Named.of("HSQLDB", "jdbc:hsqldb:mem:plans;hsqldb.tx=mvcc"), "explain plan for ",
						"checkpoint", "access=FULL SCAN"),
				Arguments.of(Named.of("SQLite", "jdbc:sqlite:" + folder.resolve("plans.db")), "explain query plan ",
						"analyze", "SCAN "),
				Arguments.of(Named.of("MariaDB", MariaDbServer.shared().url()), "explain ",
						"analyze table idempotency_record", "|ALL|"));
	}

	@ParameterizedTest
	@MethodSource("databases")
	void noneReadsAWholeTableOrRepeatsASubquery(String url, String explain, String analyze, String scan)
			throws Exception {
		SingleConnectionDataSource dataSource = new SingleConnectionDataSource(url, true);
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		new JdbcIdempotencyStore(dataSource, JdbcSettings.defaults()).prepareTable(InitializeSchema.ALWAYS);
		jdbc.update("delete from idempotency_record");
		jdbc.execute(analyze);
		try (Connection connection = dataSource.getConnection()) {
			Tables tables = Tables.of(connection, JdbcSettings.defaults());
			fill(connection, tables.statements());
			List<String> scanning = new ArrayList<>();
			for (Object holder : List.of(tables.statements(), tables.outcomes())) {
				for (Field field : holder.getClass().getDeclaredFields()) {
					String plan = plan(connection, explain, holder, field);
					if (plan.contains(scan)) {
						scanning.add(field.getName() + ": " + plan);
					}
				}
			}
			assertThat(scanning).isEmpty();
		}
		dataSource.destroy();
	}

	@Test
	void mariaDbEndsAQueryThatNobodyWaitsForAnyMore() {
		JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(MariaDbServer.shared().url()));
		String query = Dialect.MYSQL.limited("select sleep(5)", Duration.ofMillis(200));
		assertThatException().isThrownBy(() -> jdbc.queryForList(query))
			.withStackTraceContaining("max_statement_time exceeded");
	}

	private static void fill(Connection connection, Statements statements) throws SQLException {
		try (PreparedStatement insert = connection.prepareStatement(statements.insert)) {
			for (int i = 0; i < 3000; i++) {
				byte[] id = new byte[32];
				id[0] = (byte) i;
				id[1] = (byte) (i >> 8);
				insert.setBytes(1, id);
				Stream.of(2, 3, 4, 5, 6, 11).forEach((text) -> set(insert, text));
				insert.setLong(7, i);
				insert.setBytes(8, new byte[0]);
				insert.setLong(9, 1000);
				insert.setLong(10, (i % 2 == 0) ? -100_000 : 100_000);
				insert.addBatch();
			}
			connection.setAutoCommit(false);
			insert.executeBatch();
			connection.setAutoCommit(true);
		}
	}

	private static void set(PreparedStatement insert, int parameter) {
		try {
			insert.setString(parameter, "text");
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * The plan of the statement in a field; empty if there is none in it.
	 */
	private static String plan(Connection connection, String explain, Object holder, Field field) throws Exception {
		field.setAccessible(true);
		Predicate<String> isStatement = Pattern
			.compile("^(/\\*.*\\*/ )?(select|update|delete) .* where ", Pattern.DOTALL)
			.asPredicate();
		if (!(field.get(holder) instanceof String text) || !isStatement.test(text)
				|| READ_OUTCOMES.contains(field.getName())) {
			return "";
		}
		assertThat(text).doesNotContain("in (select");
		try (PreparedStatement query = connection.prepareStatement(explain + text
			// Which MariaDB cannot explain
			.replaceFirst("^/\\*M![^/]*/ ", "")
			.replace("{list}", "?"))) {
			for (int i = 1; i <= query.getParameterMetaData().getParameterCount(); i++) {
				if (text.contains("? offset") || text.contains("first ? rows")) {
					query.setInt(i, 10);
				}
				else {
					query.setNull(i, Types.VARBINARY);
				}
			}
			StringBuilder plan = new StringBuilder("|");
			try (ResultSet rows = query.executeQuery()) {
				while (rows.next()) {
					for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
						plan.append(rows.getString(i)).append('|');
					}
				}
			}
			return plan.toString();
		}
	}

}
