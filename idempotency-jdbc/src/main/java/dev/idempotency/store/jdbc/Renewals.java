package dev.idempotency.store.jdbc;

import java.sql.SQLException;
import java.time.Duration;

import javax.sql.DataSource;

import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.jdbc.Database.ConnectionWork;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews leases, on a connection that no handler can take if there is one.
 * <p>
 * The first failure there is a failure like any other, and the renewal is tried again
 * soon. From the second failure on, it falls back to the data source of everything else,
 * although that may be a pool with an unknown wait.
 */
final class Renewals implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Renewals.class);

	private static final String TASK = "renew a lease";

	private static final Duration LONGEST_REST = Duration.ofMinutes(1);

	private final Database database;

	private final @Nullable KeptConnection connection;

	private volatile boolean failed;

	Renewals(Database database, @Nullable DataSource dataSource) {
		this.database = database;
		this.connection = (dataSource != null) ? new KeptConnection(dataSource, LONGEST_REST, new MonotonicClock())
				: null;
	}

	boolean renew(ConnectionWork<Boolean> renewal) {
		if (this.connection == null) {
			return this.database.onOwnConnection(TASK, renewal);
		}
		try {
			boolean renewed = this.connection.use(this.database::align,
					(connection) -> this.database.onOwnConnection(connection, renewal));
			this.failed = false;
			return renewed;
		}
		catch (SQLException ex) {
			if (!this.failed) {
				this.failed = true;
				logger.warn("Failed to renew a lease on the connection for renewals: {}", ex.toString());
				throw Database.translate(TASK, ex);
			}
			logger.debug("Renewing a lease on a connection of the pool", ex);
			return this.database.onOwnConnection(TASK, renewal);
		}
	}

	@Override
	public void close() {
		if (this.connection != null) {
			this.connection.close();
		}
	}

}
