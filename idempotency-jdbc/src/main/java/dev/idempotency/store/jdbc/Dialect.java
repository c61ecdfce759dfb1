package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * The differences between databases.
 * <p>
 * In statements, <code>{now}</code> is the database's clock, and <code>{later}</code> the
 * same plus a parameter in milliseconds. <code>{moment}</code> and <code>{moment+}</code>
 * are the same for statements that only read. <code>{time:column}</code> is a time column
 * in the form in which it is read.
 */
enum Dialect {

	/**
	 * Claims in one round trip.
	 */
	POSTGRESQL("postgresql", "clock_timestamp()", "clock_timestamp() + cast(? as bigint) * interval '1 millisecond'") {

		/**
		 * A duplicate would be an error in the server's log.
		 */
		@Override
		String insertIfAbsent(String into) {
			return super.insertIfAbsent(into) + " on conflict do nothing";
		}

		/**
		 * Plans are made for what the table is now: one that was made for an empty table
		 * would stay until the next {@code ANALYZE}.
		 */
		@Override
		String limits(Duration timeout) {
			return "set local statement_timeout = %d; set local plan_cache_mode = force_custom_plan"
				.formatted(timeout.toMillis());
		}

	},

	/**
	 * MySQL and MariaDB. Times have no zone there. All are UTC, and the driver never sees
	 * them, because it would convert them.
	 */
	MYSQL("mysql", "utc_timestamp(3)", "date_add(utc_timestamp(3), interval ? * 1000 microsecond)") {

		/**
		 * MariaDB runs the first comment, and MySQL the second one.
		 */
		@Override
		String limited(String query, Duration timeout) {
			return query.replaceFirst("select",
					"/*M! set statement max_statement_time = %s for */ select /*+ max_execution_time(%d) */"
						.formatted(timeout.toMillis() / 1000.0, timeout.toMillis()));
		}

		/**
		 * The driver of MariaDB would log a warning for each duplicate.
		 */
		@Override
		String insertIfAbsent(String into) {
			return "insert ignore into " + into;
		}

		/**
		 * An update changes the newest version, whatever else the transaction sees,
		 * unless {@code innodb_snapshot_isolation} is on in MariaDB.
		 */
		@Override
		int snapshotsFrom(Connection connection) throws SQLException {
			try (Statement statement = connection.createStatement();
					ResultSet rows = statement.executeQuery("show variables like 'innodb_snapshot_isolation'")) {
				return (rows.next() && "ON".equals(rows.getString(2))) ? Connection.TRANSACTION_REPEATABLE_READ
						: NO_SNAPSHOTS;
			}
		}

		/**
		 * With {@code innodb_snapshot_isolation}, a statement fails if another
		 * transaction has changed its rows.
		 */
		@Override
		boolean isTransient(SQLException ex) {
			return super.isTransient(ex) || ex.getErrorCode() == MARIADB_HAS_CHANGED;
		}

		@Override
		boolean isUnseenDuplicate(SQLException ex) {
			return super.isUnseenDuplicate(ex) || ex.getErrorCode() == MARIADB_HAS_CHANGED;
		}

		/**
		 * The server closes the connection on a statement that is too long. A byte of the
		 * result may take two in the statement.
		 */
		@Override
		long largestResult(Connection connection) throws SQLException {
			try (Statement statement = connection.createStatement();
					ResultSet rows = statement.executeQuery("select @@max_allowed_packet")) {
				return rows.next() ? (rows.getLong(1) - 1024) / 2 : Long.MAX_VALUE;
			}
		}

		@Override
		String time(String column) {
			return "timestampdiff(microsecond, '1970-01-01', %s) div 1000".formatted(column);
		}

		@Override
		@Nullable Instant readTime(ResultSet row, int column) throws SQLException {
			return readMillis(row, column);
		}

	},

	/**
	 * SQLite, which stores times as sortable texts.
	 */
	SQLITE("sqlite", "strftime('%Y-%m-%d %H:%M:%f', 'now')",
			"strftime('%Y-%m-%d %H:%M:%f', 'now', (? / 1000.0) || ' seconds')") {

		/**
		 * A transaction that can write sees everything. One that does not see everything
		 * can no longer write.
		 */
		@Override
		int snapshotsFrom(Connection connection) {
			return NO_SNAPSHOTS;
		}

		@Override
		String time(String column) {
			return "cast(round((julianday(%s) - 2440587.5) * 86400000) as integer)".formatted(column);
		}

		@Override
		@Nullable Instant readTime(ResultSet row, int column) throws SQLException {
			return readMillis(row, column);
		}

		@Override
		boolean isDuplicate(SQLException ex) {
			return (ex.getErrorCode() & 0xff) == SQLITE_CONSTRAINT;
		}

		@Override
		boolean isTransient(SQLException ex) {
			return isHeldUpByWriter(ex);
		}

		@Override
		boolean isHeldUpByWriter(SQLException ex) {
			return (ex.getErrorCode() & 0xff) == SQLITE_BUSY;
		}

	},

	/**
	 * H2.
	 */
	H2("h2"),

	/**
	 * HSQLDB.
	 */
	HSQLDB("hsqldb") {

		@Override
		boolean isUnseenDuplicate(SQLException ex) {
			return super.isUnseenDuplicate(ex) || isTransient(ex);
		}

	},

	/**
	 * Any other database, with standard SQL.
	 */
	STANDARD(null);

	private static final int MARIADB_HAS_CHANGED = 1020;

	/**
	 * Above every isolation.
	 */
	private static final int NO_SNAPSHOTS = Integer.MAX_VALUE;

	private static final int SQLITE_BUSY = 5;

	private static final int SQLITE_CONSTRAINT = 19;

	private final @Nullable String schema;

	private final String now;

	private final String later;

	Dialect(@Nullable String schema) {
		this(schema, "current_timestamp", "current_timestamp + cast(? as decimal(19)) * interval '0.001' second(1, 3)");
	}

	Dialect(@Nullable String schema, String now, String later) {
		this.schema = schema;
		this.now = now;
		this.later = later;
	}

	static Dialect of(Connection connection) throws SQLException {
		DatabaseMetaData metaData = connection.getMetaData();
		String product = metaData.getDatabaseProductName().toLowerCase(Locale.ROOT);
		return switch (product) {
			case "postgresql" -> POSTGRESQL;
			case "mysql", "mariadb" -> MYSQL;
			case "sqlite" -> SQLITE;
			case "h2" -> H2;
			case "hsql database engine" -> HSQLDB;
			default -> STANDARD;
		};
	}

	/**
	 * Whether the database runs inside the application.
	 */
	boolean isEmbedded(String url) {
		return switch (this) {
			case SQLITE -> true;
			case H2 -> !url.startsWith("jdbc:h2:tcp:") && !url.startsWith("jdbc:h2:ssl:");
			case HSQLDB -> url.startsWith("jdbc:hsqldb:mem:") || url.startsWith("jdbc:hsqldb:file:");
			default -> false;
		};
	}

	/**
	 * The file that creates the table.
	 * @return {@code null} if there is none
	 */
	@Nullable String schemaFile() {
		return (this.schema != null) ? "schema-%s.sql".formatted(this.schema) : null;
	}

	/**
	 * An insert that fails with a {@linkplain #isDuplicate duplicate}, or inserts
	 * nothing, if the key exists.
	 */
	String insertIfAbsent(String into) {
		return "insert into " + into;
	}

	String now() {
		return this.now;
	}

	String later() {
		return this.later;
	}

	/**
	 * The database's clock at the start of the statement. An index can be searched by it,
	 * unlike by a clock that advances.
	 */
	String moment() {
		return this.now.replace("clock_timestamp", "statement_timestamp");
	}

	/**
	 * The same plus a parameter in milliseconds.
	 */
	String momentLater() {
		return this.later.replace("clock_timestamp", "statement_timestamp");
	}

	/**
	 * What begins a transaction whose statements the server ends after a timeout, for
	 * statements that no request waits for.
	 * @return {@code null} if there is no such thing
	 */
	@Nullable String limits(Duration timeout) {
		return null;
	}

	/**
	 * A query that the server ends after a timeout, where it is the query that says so.
	 */
	String limited(String query, Duration timeout) {
		return query;
	}

	/**
	 * The end of a query that skips some rows and limits the rest.
	 */
	String page(int offset, int limit) {
		return page(String.valueOf(offset), String.valueOf(limit));
	}

	/**
	 * The same with numbers or parameters.
	 */
	String page(String offset, String limit) {
		return switch (this) {
			case POSTGRESQL, MYSQL, SQLITE -> "limit %s offset %s".formatted(limit, offset);
			default -> "offset %s rows fetch first %s rows only".formatted(offset, limit);
		};
	}

	/**
	 * The number of bytes in a column.
	 */
	String length(String column) {
		return ((this == SQLITE) ? "length(%s)" : "octet_length(%s)").formatted(column);
	}

	String time(String column) {
		return column;
	}

	@Nullable Instant readTime(ResultSet row, int column) throws SQLException {
		OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
		return (time != null) ? time.toInstant() : null;
	}

	private static @Nullable Instant readMillis(ResultSet row, int column) throws SQLException {
		long millis = row.getLong(column);
		return row.wasNull() ? null : Instant.ofEpochMilli(millis);
	}

	/**
	 * Whether a claim has to run at READ COMMITTED. In other databases, a single
	 * statement always sees what is committed, whatever the isolation, and waits for
	 * concurrent writes.
	 */
	boolean needsReadCommitted() {
		return this == POSTGRESQL || this == HSQLDB;
	}

	/**
	 * The lowest isolation at which an update in a transaction does not see what others
	 * have committed since it began, or fails because of it.
	 */
	int snapshotsFrom(Connection connection) throws SQLException {
		return Connection.TRANSACTION_REPEATABLE_READ;
	}

	/**
	 * Whether the driver supports network timeouts. Other databases have no server, or
	 * their driver throws, and then pools discard the connection.
	 */
	boolean knowsNetworkTimeouts() {
		return this == POSTGRESQL || this == MYSQL;
	}

	/**
	 * Whether the database accepts writes, unlike a replica.
	 */
	boolean isWritable(Connection connection) throws SQLException {
		if (connection.isReadOnly()) {
			return false;
		}
		return switch (this) {
			case POSTGRESQL -> !isOn(connection, "select current_setting('transaction_read_only') = 'on'");
			case MYSQL -> !isOn(connection, "select @@global.read_only");
			default -> true;
		};
	}

	private static boolean isOn(Connection connection, String query) throws SQLException {
		try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(query)) {
			return rows.next() && rows.getBoolean(1);
		}
	}

	/**
	 * Whether an insert failed because the key exists.
	 */
	boolean isDuplicate(SQLException ex) {
		return ex instanceof SQLIntegrityConstraintViolationException
				|| (ex.getSQLState() != null && ex.getSQLState().startsWith("23"));
	}

	/**
	 * The same inside a transaction, which may not see the row that was first.
	 */
	boolean isUnseenDuplicate(SQLException ex) {
		return isDuplicate(ex);
	}

	/**
	 * The largest result that the server accepts, in bytes.
	 */
	long largestResult(Connection connection) throws SQLException {
		return Long.MAX_VALUE;
	}

	/**
	 * Whether a statement failed, without effect, only because of a concurrent
	 * transaction, and can succeed when it is tried again: a serialization failure or a
	 * deadlock.
	 */
	boolean isTransient(SQLException ex) {
		return ex.getSQLState() != null && ex.getSQLState().startsWith("40");
	}

	/**
	 * Whether a statement failed because a transaction writes, and the whole database has
	 * one writer at a time.
	 */
	boolean isHeldUpByWriter(SQLException ex) {
		return false;
	}

}
