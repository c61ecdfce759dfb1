package dev.idempotency.store.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;

import dev.idempotency.IdempotencyConfigurationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.jdbc.datasource.init.ScriptException;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/**
 * The tables: created if configured, and checked before they are used.
 */
final class TableSchema {

	private static final Logger logger = LoggerFactory.getLogger(TableSchema.class);

	private static final int MOST_ATTEMPTS = 5;

	private final Connection connection;

	private final Statements statements;

	private final Outcomes outcomes;

	TableSchema(Connection connection, Tables tables) {
		this.connection = connection;
		this.statements = tables.statements();
		this.outcomes = tables.outcomes();
	}

	void prepare(InitializeSchema when) throws SQLException {
		boolean create = when == InitializeSchema.ALWAYS || (when == InitializeSchema.EMBEDDED
				&& this.statements.dialect().isEmbedded(this.connection.getMetaData().getURL()));
		if (create) {
			create();
		}
		require(this.statements.table(), () -> RecordRow.read(this.connection, this.statements, new byte[32]));
		require(this.statements.outcomeTable(), () -> this.outcomes.require(this.connection));
	}

	private void create() {
		String file = this.statements.dialect().schemaFile();
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
				ScriptUtils.executeSqlScript(this.connection, script);
				return;
			}
			catch (ScriptException ex) {
				// The check that follows reports what is missing
				logger.debug("The tables could not be created", ex);
			}
		}
	}

	private void require(String table, Look look) throws SQLException {
		try {
			look.at();
		}
		catch (SQLException ex) {
			if (!this.connection.isValid(1)) {
				throw ex;
			}
			throw new IdempotencyConfigurationException(
					"The table %s is missing or unusable: %s".formatted(table, ex.getMessage()),
					remedy(this.statements.dialect()));
		}
	}

	private static String remedy(Dialect dialect) {
		String file = dialect.schemaFile();
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

	/**
	 * Reads something from a table.
	 */
	@FunctionalInterface
	private interface Look {

		void at() throws SQLException;

	}

}
