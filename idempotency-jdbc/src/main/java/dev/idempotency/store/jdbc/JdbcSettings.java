package dev.idempotency.store.jdbc;

import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;

import dev.idempotency.IdempotencyConfigurationException;

/**
 * The settings of a {@link JdbcIdempotencyStore}.
 *
 * @param table the name of the table, with or without its schema
 * @param timeout how long to wait for the database
 */
public record JdbcSettings(String table, Duration timeout) {

	/**
	 * The name of the table in the schema files.
	 */
	public static final String DEFAULT_TABLE = "idempotency_record";

	/**
	 * The suffix of the name of the outcome table.
	 */
	static final String OUTCOMES = "_outcome";

	private static final Pattern NAME = Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,62}\\.)?[A-Za-z_][A-Za-z0-9_]{0,47}");

	private static final Duration LONGEST_TIMEOUT = Duration.ofHours(1);

	public JdbcSettings {
		Objects.requireNonNull(table, "table must not be null");
		Objects.requireNonNull(timeout, "timeout must not be null");
		// The name becomes a part of statements: it must not be able to inject SQL
		if (!NAME.matcher(table).matches()) {
			throw new IdempotencyConfigurationException(
					"idempotency.jdbc.table must be a plain name of letters, digits and underscores, at most 48 "
							+ "characters, with or without a schema in front",
					"Write one such as idempotency_record or app.idempotency_record.");
		}
		if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
			throw new IdempotencyConfigurationException(
					"idempotency.jdbc.timeout must be between 1ms and 1h, but is %s".formatted(timeout),
					"Write a duration such as 5s.");
		}
	}

	/**
	 * The default settings.
	 */
	public static JdbcSettings defaults() {
		return new JdbcSettings(DEFAULT_TABLE, Duration.ofSeconds(5));
	}

	/**
	 * The name of the outcome table, with or without its schema.
	 */
	String outcomeTable() {
		return this.table + OUTCOMES;
	}

	/**
	 * The table's own name, without its schema.
	 */
	String plainTable() {
		return this.table.substring(this.table.indexOf('.') + 1);
	}

}
