package dev.idempotency.store.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;

import dev.idempotency.IdempotencyConfigurationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.jdbc.datasource.init.ScriptException;
import org.springframework.jdbc.datasource.init.ScriptUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The tables of a database, and what its first connection says of it.
 *
 * @param outcomes the outcomes of transactions
 * @param recent keys that most probably have a record
 * @param largestResult the largest result that the server accepts, in bytes
 * @param isolation the isolation of transactions that set none
 * @param snapshotsFrom the lowest isolation at which transactions do not see all that is
 * committed
 * @param catalog the catalog of its connections, if there are several
 * @param schema the schema of its connections, if there are several
 */
record Tables(Statements statements, OutcomeTable outcomes, RecentKeys recent, long largestResult, int isolation,
		int snapshotsFrom, @Nullable String catalog, @Nullable String schema) {

	private static final Logger logger = LoggerFactory.getLogger(Tables.class);

	private static final int MOST_ATTEMPTS = 5;

	static Tables of(Connection connection, JdbcSettings settings) throws SQLException {
		Dialect dialect = Dialect.of(connection);
		Statements statements = new Statements(dialect, settings);
		return new Tables(statements, new OutcomeTable(statements), new RecentKeys(), dialect.largestResult(connection),
				connection.getTransactionIsolation(), dialect.snapshotsFrom(connection), connection.getCatalog(),
				connection.getSchema());
	}

	Dialect dialect() {
		return this.statements.dialect();
	}

	/**
	 * Whether the usual isolation is too high for claims.
	 */
	boolean lowersIsolation() {
		return dialect().needsReadCommitted() && this.isolation > Connection.TRANSACTION_READ_COMMITTED;
	}

	/**
	 * Whether an update in the calling thread's transaction sees everything that others
	 * have committed.
	 */
	boolean seesWhatIsCommitted() {
		// Known without a query
		Integer asked = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
		return ((asked != null) ? asked : this.isolation) < this.snapshotsFrom;
	}

	/**
	 * Creates the tables if configured, and checks them before they are used.
	 */
	void prepare(Connection connection, InitializeSchema when) throws SQLException {
		if (when == InitializeSchema.ALWAYS
				|| (when == InitializeSchema.EMBEDDED && dialect().isEmbedded(connection.getMetaData().getURL()))) {
			create(connection);
		}
		require(connection, this.statements.table(),
				() -> RecordRow.read(connection, this.statements, new byte[32]) != null);
		require(connection, this.statements.outcomeTable(), () -> this.outcomes.read(connection));
	}

	private void create(Connection connection) {
		String file = dialect().schemaFile();
		if (file == null) {
			throw new IdempotencyConfigurationException(
					"The table %s cannot be created: there is no schema file for this database"
						.formatted(this.statements.table()),
					"Create it yourself, after the model of %s, and set idempotency.jdbc.initialize-schema=never."
						.formatted(location("schema-h2.sql")));
		}
		Resource script = new ByteArrayResource(this.statements.fromFile(file).getBytes(StandardCharsets.UTF_8));
		// If another instance creates the tables at the same time, one of the two fails.
		// Each attempt completes at least one statement in one of them
		for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
			try {
				ScriptUtils.executeSqlScript(connection, script);
				return;
			}
			catch (ScriptException ex) {
				// The check that follows reports what is missing
				logger.debug("The tables could not be created", ex);
			}
		}
	}

	private void require(Connection connection, String table, Sql.Work<Boolean> look) throws SQLException {
		try {
			look.run();
		}
		catch (SQLException ex) {
			if (!connection.isValid(1)) {
				throw ex;
			}
			throw new IdempotencyConfigurationException(
					"The table %s is missing or unusable: %s".formatted(table, ex.getMessage()),
					remedy(dialect().schemaFile()));
		}
	}

	private static String remedy(@Nullable String file) {
		return (file != null)
				? ("Run %s, which creates what is missing (as a migration of Flyway or Liquibase, for example), set "
						+ "idempotency.jdbc.initialize-schema=always to run it at startup, or correct "
						+ "idempotency.jdbc.table.")
					.formatted(location(file))
				: "Create it after the model of %s, or correct idempotency.jdbc.table."
					.formatted(location("schema-h2.sql"));
	}

	private static String location(String file) {
		return "classpath:dev/idempotency/store/jdbc/" + file;
	}

}
