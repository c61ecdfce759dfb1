package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection for one user at a time, opened on demand and closed after a while without
 * use.
 */
final class KeptConnection implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(KeptConnection.class);

	private final DataSource dataSource;

	private final Duration longestRest;

	private final Clock clock;

	private final ReentrantLock lock = new ReentrantLock();

	private @Nullable Connection connection;

	private long lastUse;

	private boolean watched;

	private boolean closed;

	KeptConnection(DataSource dataSource, Duration longestRest, Clock clock) {
		this.dataSource = dataSource;
		this.longestRest = longestRest;
		this.clock = clock;
	}

	/**
	 * Does some work on the connection. A kept connection may be broken by now, so work
	 * that fails on it is tried again on a new one.
	 * @param prepare prepares a new connection
	 * @param use the work, which may run twice
	 */
	<T extends @Nullable Object> T use(Preparation prepare, Use<T> use) throws SQLException {
		this.lock.lock();
		try {
			Connection kept = this.connection;
			if (kept != null) {
				try {
					return on(kept, use);
				}
				catch (SQLException ex) {
					logger.debug("A kept connection has failed; opening another one", ex);
				}
			}
			return on(open(prepare), use);
		}
		finally {
			this.lock.unlock();
		}
	}

	private <T extends @Nullable Object> T on(Connection connection, Use<T> use) throws SQLException {
		boolean sound = false;
		try {
			T answer = use.on(connection);
			sound = true;
			return answer;
		}
		finally {
			this.lastUse = this.clock.millis();
			if (!sound) {
				giveUp();
			}
		}
	}

	private Connection open(Preparation prepare) throws SQLException {
		if (this.closed) {
			throw new SQLException("Cannot open a connection: the store is closed");
		}
		Connection opened = connect();
		this.connection = opened;
		on(opened, (connection) -> {
			prepare.prepare(connection);
			return true;
		});
		if (!this.watched) {
			closeLater(this.longestRest.toMillis());
		}
		return opened;
	}

	private Connection connect() throws SQLException {
		try {
			return this.dataSource.getConnection();
		}
		catch (RuntimeException ex) {
			// Pools with a wrong configuration throw it
			throw new SQLException("Failed to open a connection: " + ex.getMessage(), ex);
		}
	}

	private void closeLater(long millis) {
		this.watched = true;
		CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS).execute(this::closeIfAtRest);
	}

	private void closeIfAtRest() {
		this.lock.lock();
		try {
			this.watched = false;
			if (this.connection == null) {
				return;
			}
			long left = this.longestRest.toMillis() - (this.clock.millis() - this.lastUse);
			if (left <= 0) {
				giveUp();
			}
			else {
				closeLater(left);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	private void giveUp() {
		Connection given = this.connection;
		this.connection = null;
		try {
			if (given != null) {
				given.close();
			}
		}
		catch (SQLException ex) {
			logger.debug("A connection could not be closed", ex);
		}
	}

	@Override
	public void close() {
		this.lock.lock();
		try {
			this.closed = true;
			giveUp();
		}
		finally {
			this.lock.unlock();
		}
		if (this.dataSource instanceof AutoCloseable closeable) {
			try {
				closeable.close();
			}
			catch (Exception ex) {
				logger.debug("A data source could not be closed", ex);
			}
		}
	}

	/**
	 * Prepares a new connection.
	 */
	@FunctionalInterface
	interface Preparation {

		void prepare(Connection connection) throws SQLException;

	}

	/**
	 * Work on the connection.
	 */
	@FunctionalInterface
	interface Use<T extends @Nullable Object> {

		T on(Connection connection) throws SQLException;

	}

}
