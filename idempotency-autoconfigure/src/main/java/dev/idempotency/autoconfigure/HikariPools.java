package dev.idempotency.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.util.ClassUtils;

/**
 * Support for HikariCP, if it is present.
 */
final class HikariPools {

	/**
	 * The shortest timeout that HikariCP accepts.
	 */
	private static final long SHORTEST_TIMEOUT = 250;

	/**
	 * Renewals come every half lease. With less, each would open a connection.
	 */
	private static final long LONGEST_REST = 60_000;

	private HikariPools() {
	}

	static boolean isPresent() {
		return ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", HikariPools.class.getClassLoader());
	}

	static Class<?> type() {
		return HikariDataSource.class;
	}

	/**
	 * Derives a data source of one connection from a pool.
	 * @return {@code null} if each connection has a database of its own
	 */
	static @Nullable DataSource beside(DataSource dataSource, Duration timeout) throws SQLException {
		HikariDataSource pool = dataSource.unwrap(HikariDataSource.class);
		String url = (pool.getJdbcUrl() != null) ? pool.getJdbcUrl()
				: pool.getDataSourceProperties().getProperty("url", "");
		return PrivateDatabases.isPrivate(url) ? null : new OneConnection(dataSource, timeout);
	}

	/**
	 * The connection timeout of a pool that both data sources share.
	 * @return {@code null} if they are not the same HikariCP pool
	 */
	static @Nullable Duration commonTimeout(DataSource one, DataSource other) throws SQLException {
		if (!one.isWrapperFor(HikariDataSource.class) || !other.isWrapperFor(HikariDataSource.class)) {
			return null;
		}
		HikariDataSource pool = one.unwrap(HikariDataSource.class);
		return (pool == other.unwrap(HikariDataSource.class)) ? Duration.ofMillis(pool.getConnectionTimeout()) : null;
	}

	/**
	 * One connection beside a pool. It follows when another pool takes the place of the
	 * first one.
	 */
	private static final class OneConnection extends AbstractDataSource implements AutoCloseable {

		private final DataSource beside;

		private final Duration timeout;

		private @Nullable PoolOfOne pool;

		private boolean closed;

		private OneConnection(DataSource beside, Duration timeout) {
			this.beside = beside;
			this.timeout = timeout;
		}

		@Override
		public Connection getConnection() throws SQLException {
			return pool(this.beside.unwrap(HikariDataSource.class)).getConnection();
		}

		@Override
		public Connection getConnection(String username, String password) throws SQLException {
			throw new SQLFeatureNotSupportedException();
		}

		private synchronized PoolOfOne pool(HikariDataSource origin) throws SQLException {
			if (this.closed) {
				throw new SQLException("Cannot open a connection: the store is closed");
			}
			PoolOfOne known = this.pool;
			if (known != null && known.origin == origin) {
				return known;
			}
			if (known != null) {
				known.close();
			}
			PoolOfOne next = new PoolOfOne(origin, this.timeout);
			this.pool = next;
			return next;
		}

		@Override
		public synchronized void close() {
			this.closed = true;
			if (this.pool != null) {
				this.pool.close();
			}
		}

	}

	/**
	 * A pool of one connection with the configuration of another pool: driver,
	 * properties, schema and initialization of connections. It opens no connection before
	 * the first use, and asks the other pool for the credentials of each, because they
	 * can change.
	 */
	private static final class PoolOfOne extends HikariDataSource {

		private final HikariDataSource origin;

		private PoolOfOne(HikariDataSource origin, Duration timeout) {
			this.origin = origin;
			origin.copyStateTo(this);
			setPoolName((origin.getPoolName() != null) ? origin.getPoolName() + "-idempotency-renewals"
					: "idempotency-renewals");
			setMaximumPoolSize(1);
			setMinimumIdle(0);
			setIdleTimeout(LONGEST_REST);
			setConnectionTimeout(Math.max(SHORTEST_TIMEOUT, timeout.toMillis()));
			setInitializationFailTimeout(-1);
			setLeakDetectionThreshold(0);
			// Not for the monitoring of the application
			setRegisterMbeans(false);
			setMetricsTrackerFactory(null);
			setMetricRegistry(null);
			setHealthCheckRegistry(null);
		}

		@Override
		public Credentials getCredentials() {
			return (this.origin != null) ? this.origin.getCredentials() : super.getCredentials();
		}

		@Override
		public String getUsername() {
			return (this.origin != null) ? this.origin.getUsername() : super.getUsername();
		}

		@Override
		public String getPassword() {
			return (this.origin != null) ? this.origin.getPassword() : super.getPassword();
		}

	}

}
