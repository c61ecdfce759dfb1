package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.LockSupport;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A database. Works on its own connections, where each statement commits at once, or on
 * the connection of the caller's transaction. Leases are renewed on a connection that no
 * handler can take, if there is one.
 */
final class Database implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(Database.class);

	private static final int MOST_TRIES = 20;

	private static final SQLExceptionSubclassTranslator TRANSLATOR = new SQLExceptionSubclassTranslator();

	private final DataSource dataSource;

	private final DataSource managed;

	private final JdbcSettings settings;

	private final @Nullable DataSource renewals;

	private final ReentrantLock exploring = new ReentrantLock();

	private volatile @Nullable Tables tables;

	private volatile boolean renewalsFailed;

	/**
	 * Create the database behind a data source.
	 * @param dataSource the source of its own connections
	 * @param managed the data source of transactions: the same one, or one that routes to
	 * it
	 * @param renewals the source of the connection for renewals, if there is one
	 */
	Database(DataSource dataSource, DataSource managed, JdbcSettings settings, @Nullable DataSource renewals) {
		this.dataSource = dataSource;
		this.managed = managed;
		this.settings = settings;
		this.renewals = renewals;
	}

	/**
	 * Does some work on its own connection. Tries again if the work failed only because
	 * of a concurrent transaction, or because the thread was interrupted: that breaks the
	 * connection of a virtual thread. The work may have been done then.
	 */
	<T extends @Nullable Object> T onOwnConnection(String task, ConnectionWork<T> work) {
		boolean interrupted = false;
		try {
			for (int attempt = 1;; attempt++) {
				try (Connection connection = connect()) {
					return onOwnConnection(connection, work);
				}
				catch (SQLException ex) {
					boolean interruptedNow = Thread.interrupted();
					interrupted |= interruptedNow;
					Tables known = this.tables;
					if (known != null && known.dialect().isHeldUpByWriter(ex) && isInTransaction(this.managed)) {
						throw new OwnTransactionWritesException(task, ex);
					}
					boolean isTransient = known != null && known.dialect().isTransient(ex);
					if (!(isTransient || interruptedNow) || attempt == MOST_TRIES) {
						throw translate(task, ex);
					}
					logger.debug("Failed to {}; trying again", task, ex);
					LockSupport.parkNanos(
							TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextInt(1, 5 + 2 * attempt)));
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Pools with a wrong configuration throw other exceptions. They must not count for
	 * more than those of a database that is down: there may be further databases.
	 */
	private Connection connect() throws SQLException {
		try {
			return this.dataSource.getConnection();
		}
		catch (RuntimeException ex) {
			throw new SQLException("There is no connection: %s".formatted(ex.getMessage()), ex);
		}
	}

	/**
	 * Does some work on a connection that is used for nothing else.
	 */
	private <T extends @Nullable Object> T onOwnConnection(Connection connection, ConnectionWork<T> work)
			throws SQLException {
		Tables tables = tables(connection);
		boolean autoCommit = connection.getAutoCommit();
		boolean bounded = tables.dialect().knowsNetworkTimeouts();
		int networkTimeout = bounded ? connection.getNetworkTimeout() : 0;
		try {
			if (!autoCommit) {
				connection.setAutoCommit(true);
			}
			if (tables.lowersIsolation()) {
				connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
			}
			if (bounded) {
				connection.setNetworkTimeout(Runnable::run, Math.toIntExact(this.settings.timeout().toMillis()));
			}
			return work.on(connection, tables);
		}
		finally {
			restore(connection, autoCommit, tables.lowersIsolation() ? tables.isolation() : null,
					bounded ? networkTimeout : null);
		}
	}

	/**
	 * Restores the state of a connection. A pool does this by itself, but not every
	 * DataSource is a pool.
	 */
	private static void restore(Connection connection, boolean autoCommit, @Nullable Integer isolation,
			@Nullable Integer networkTimeout) {
		try {
			if (connection.isClosed()) {
				return;
			}
			if (isolation != null) {
				connection.setTransactionIsolation(isolation);
			}
			if (!autoCommit) {
				connection.setAutoCommit(false);
			}
			if (networkTimeout != null) {
				connection.setNetworkTimeout(Runnable::run, networkTimeout);
			}
		}
		catch (SQLException ex) {
			// The connection is broken, and the caller gets the exception that says why
			logger.debug("A connection could not be restored", ex);
		}
	}

	/**
	 * Whether the calling thread is in a transaction on this database. In a transaction
	 * on another database, it may also have a connection to this one, but that connection
	 * is in auto-commit mode.
	 */
	static boolean isInTransaction(DataSource managed) {
		if (!TransactionSynchronizationManager.isActualTransactionActive()
				|| !(TransactionSynchronizationManager.getResource(managed) instanceof ConnectionHolder holder)) {
			return false;
		}
		try {
			return !holder.getConnection().getAutoCommit();
		}
		catch (SQLException ex) {
			throw translate("inspect a transaction", ex);
		}
	}

	/**
	 * Does some work in the calling thread's transaction.
	 */
	<T extends @Nullable Object> T inTransaction(String task, ConnectionWork<T> work) {
		if (!isInTransaction(this.managed)) {
			throw new IllegalStateException(
					"Cannot %s: this thread is in no transaction on the store's DataSource".formatted(task));
		}
		Connection connection = DataSourceUtils.getConnection(this.managed);
		try {
			return work.on(connection, tables(connection));
		}
		catch (SQLException ex) {
			throw translate(task, ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.managed);
		}
	}

	/**
	 * Renews leases on the connection for renewals. If that fails, it falls back to the
	 * data source of everything else, although that may be a pool with an unknown wait.
	 */
	<T extends @Nullable Object> T onRenewalConnection(ConnectionWork<T> work) {
		if (this.renewals != null) {
			try (Connection connection = this.renewals.getConnection()) {
				align(connection);
				T result = onOwnConnection(connection, work);
				this.renewalsFailed = false;
				return result;
			}
			// Pools with a wrong configuration throw the latter
			catch (SQLException | RuntimeException ex) {
				if (!this.renewalsFailed) {
					this.renewalsFailed = true;
					logger.warn("Failed to renew leases on the connection for renewals of {}, and use the pool: {}",
							this, ex.toString());
				}
				logger.debug("Renewing leases on a connection of the pool", ex);
			}
		}
		return onOwnConnection("renew leases", work);
	}

	/**
	 * Makes a connection of another origin see the same tables as those of the data
	 * source.
	 */
	private void align(Connection connection) throws SQLException {
		Tables known = this.tables;
		if (known == null) {
			return;
		}
		if (known.catalog() != null && !known.catalog().equals(connection.getCatalog())) {
			connection.setCatalog(known.catalog());
		}
		if (known.schema() != null && !known.schema().equals(connection.getSchema())) {
			connection.setSchema(known.schema());
		}
	}

	/**
	 * Closes the source of the connection for renewals.
	 */
	@Override
	public void close() {
		if (this.renewals instanceof AutoCloseable closeable) {
			try {
				closeable.close();
			}
			catch (Exception ex) {
				logger.debug("A data source could not be closed", ex);
			}
		}
	}

	/**
	 * For operators. Pools tell their names.
	 */
	@Override
	public String toString() {
		return this.dataSource.toString();
	}

	static DataAccessException translate(String task, SQLException ex) {
		DataAccessException translated = TRANSLATOR.translate(task, null, ex);
		return (translated != null) ? translated : new UncategorizedSQLException(task, null, ex);
	}

	/**
	 * What the first connection says of the database.
	 */
	private Tables tables(Connection connection) throws SQLException {
		Tables known = this.tables;
		if (known != null) {
			return known;
		}
		this.exploring.lock();
		try {
			if (this.tables == null) {
				this.tables = Tables.of(connection, this.settings);
			}
			return this.tables;
		}
		finally {
			this.exploring.unlock();
		}
	}

	/**
	 * A database with a single writer is busy, and that writer is most likely the calling
	 * thread itself, in a transaction of its own. Waiting for it would never end.
	 */
	static final class OwnTransactionWritesException extends CannotAcquireLockException {

		private static final long serialVersionUID = 1L;

		private OwnTransactionWritesException(String task, SQLException cause) {
			super(("Cannot %s: SQLite has one writer at a time, and this thread is in a transaction that has most "
					+ "likely written already. Call the protected operation before the transaction writes, or outside "
					+ "of it.")
				.formatted(task), cause);
		}

	}

	/**
	 * Work on a connection.
	 */
	@FunctionalInterface
	interface ConnectionWork<T extends @Nullable Object> {

		T on(Connection connection, Tables tables) throws SQLException;

	}

}
