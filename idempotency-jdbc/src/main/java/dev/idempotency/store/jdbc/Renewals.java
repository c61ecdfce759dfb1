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
 * Renews leases on a connection that no handler can take, where there is one.
 * <p>
 * What fails there once is a failure like any other, and tried again soon. From the
 * second time on, the way that all else takes is better than none, although it may be a
 * pool that nobody knows how long to wait for.
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
				logger.warn("A lease could not be renewed on the connection that is there for that: {}", ex.toString());
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
