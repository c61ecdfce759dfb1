package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Everything in which databases differ.
 * <p>
 * In statements, <code>{now}</code> is the database's clock, <code>{later}</code> the
 * same plus a parameter in milliseconds, <code>{moment}</code> and <code>{moment+}</code>
 * the like for what only reads, and <code>{time:column}</code> a column that holds a
 * time, in the form in which it is read.
 */
enum Dialect {

	/**
	 * Claims in one round trip.
	 */
	POSTGRESQL("postgresql", "clock_timestamp()", "clock_timestamp() + cast(? as bigint) * interval '1 millisecond'",
			"delete from {table} where id in (select id from {table} where expires_at <= {now} "
					+ "and state > 0 order by expires_at limit ? for update skip locked)") {

		/**
		 * What is there already would be an error in the server's log.
		 */
		@Override
		String insertIfAbsent(String into) {
			return super.insertIfAbsent(into) + " on conflict do nothing";
		}

	},

	/**
	 * MySQL and MariaDB. Times have no zone there, so all are UTC, and never seen by the
	 * driver, which would convert them.
	 */
	MYSQL("mysql", "utc_timestamp(3)", "date_add(utc_timestamp(3), interval ? * 1000 microsecond)",
			"select id from {table} where expires_at <= {now} and state > 0 order by expires_at limit ? "
					+ "for update skip locked") {

		/**
		 * The driver of MariaDB would log each key that is there already as a warning.
		 */
		@Override
		String insertIfAbsent(String into) {
			return "insert ignore into " + into;
		}

		/**
		 * An update changes the newest version, whatever else the transaction sees; but
		 * for MariaDB, where it is told not to.
		 */
		@Override
		int snapshotsFrom(Connection connection) throws SQLException {
			try (Statement statement = connection.createStatement();
					ResultSet rows = statement.executeQuery("show variables like 'innodb_snapshot_isolation'")) {
				return (rows.next() && "ON".equals(rows.getString(2))) ? Connection.TRANSACTION_REPEATABLE_READ
						: Isolation.NEVER;
			}
		}

		/**
		 * Then every statement fails that others have overtaken.
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
		 * The server hangs up on statements that are longer than it allows. In one, every
		 * byte may take two.
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
	 * SQLite, which keeps times as texts that sort.
	 */
	SQLITE("sqlite", "strftime('%Y-%m-%d %H:%M:%f', 'now')",
			"strftime('%Y-%m-%d %H:%M:%f', 'now', (? / 1000.0) || ' seconds')",
			"delete from {table} where id in (select id from {table} where expires_at <= {now} and state > 0 "
					+ "order by expires_at limit ?) and expires_at <= {now} and state > 0") {

		/**
		 * Who may write here sees everything; whoever does not may not write any more.
		 */
		@Override
		int snapshotsFrom(Connection connection) {
			return Isolation.NEVER;
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
	 * Any other database, if it speaks standard SQL.
	 */
	STANDARD(null);

	private static final int MARIADB_HAS_CHANGED = 1020;

	private static final int SQLITE_BUSY = 5;

	private static final int SQLITE_CONSTRAINT = 19;

	private final @Nullable String schema;

	private final String now;

	private final String later;

	private final String purge;

	Dialect(@Nullable String schema) {
		this(schema, "current_timestamp", "current_timestamp + cast(? as decimal(19)) * interval '0.001' second(1, 3)",
				"delete from {table} where id in (select id from {table} where expires_at <= {now} "
						+ "and state > 0 order by expires_at fetch first ? rows only) "
						+ "and expires_at <= {now} and state > 0");
	}

	Dialect(@Nullable String schema, String now, String later, String purge) {
		this.schema = schema;
		this.now = now;
		this.later = later;
		this.purge = purge;
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
	 * Whether the database runs inside of the application.
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
	 * An insert for which a key that is there already is a {@linkplain #isDuplicate
	 * duplicate}, or is passed over.
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
	 * The database's clock at the beginning of the statement. Unlike one that moves on,
	 * an index can be searched by it.
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
	 * Removes what has come to an end and is over. Where the rows that are found are not
	 * locked by that, each is looked at again before it goes: someone may have claimed it
	 * since.
	 */
	String purge() {
		return this.purge;
	}

	/**
	 * The end of a query that passes over some rows and then gives some.
	 */
	String page(int offset, int limit) {
		return switch (this) {
			case POSTGRESQL, MYSQL, SQLITE -> "limit %d offset %d".formatted(limit, offset);
			default -> "offset %d rows fetch first %d rows only".formatted(offset, limit);
		};
	}

	/**
	 * The number of bytes in a column.
	 */
	String length(String column) {
		return ((this == SQLITE) ? "length(%s)" : "octet_length(%s)").formatted(column);
	}

	/**
	 * Whether {@link #purge()} only picks the records that are to be removed.
	 */
	boolean picksBeforePurge() {
		return this == MYSQL;
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
	 * Whether a claim has to run at READ COMMITTED. Elsewhere a single statement always
	 * sees what is committed, whatever the isolation, and waits for what may be.
	 */
	boolean needsReadCommitted() {
		return this == POSTGRESQL || this == HSQLDB;
	}

	/**
	 * From which isolation on an update in a transaction does not see, or fails at, what
	 * others have committed since it began.
	 */
	int snapshotsFrom(Connection connection) throws SQLException {
		return Connection.TRANSACTION_REPEATABLE_READ;
	}

	/**
	 * Whether a server that falls silent can be given up on. Elsewhere there is none, or
	 * its driver says that it cannot, after which pools throw the connection away.
	 */
	boolean knowsNetworkTimeouts() {
		return this == POSTGRESQL || this == MYSQL;
	}

	/**
	 * Whether anything can be written, unlike in a replica.
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
	 * Whether an insert failed because the key is there already.
	 */
	boolean isDuplicate(SQLException ex) {
		return ex instanceof SQLIntegrityConstraintViolationException
				|| (ex.getSQLState() != null && ex.getSQLState().startsWith("23"));
	}

	/**
	 * The same inside of a transaction, which may not see who was first.
	 */
	boolean isUnseenDuplicate(SQLException ex) {
		return isDuplicate(ex);
	}

	/**
	 * The largest result that the server takes, in bytes.
	 */
	long largestResult(Connection connection) throws SQLException {
		return Long.MAX_VALUE;
	}

	/**
	 * Whether a statement changed nothing only because of others at the same time, and
	 * will succeed when it is repeated: a serialization failure or a deadlock.
	 */
	boolean isTransient(SQLException ex) {
		return ex.getSQLState() != null && ex.getSQLState().startsWith("40");
	}

	/**
	 * Whether a statement has waited in vain for a transaction that writes, because the
	 * whole database takes one at a time.
	 */
	boolean isHeldUpByWriter(SQLException ex) {
		return false;
	}

}
