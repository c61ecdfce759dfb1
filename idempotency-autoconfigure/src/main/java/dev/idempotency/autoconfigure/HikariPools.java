package dev.idempotency.autoconfigure;

import java.sql.SQLException;
import java.time.Duration;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * Support for HikariCP, if it is present.
 */
final class HikariPools {

	/**
	 * The shortest times that HikariCP accepts.
	 */
	private static final long SHORTEST_TIMEOUT = 250;

	private static final long SHORTEST_REST = 10_000;

	private HikariPools() {
	}

	static boolean isPresent() {
		return ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", HikariPools.class.getClassLoader());
	}

	static Class<?> type() {
		return HikariDataSource.class;
	}

	/**
	 * Creates a pool of one connection with the configuration of another pool: driver,
	 * properties, credentials, schema and initialization of connections. It opens no
	 * connection before the first use.
	 * @return {@code null} if each connection has a database of its own
	 */
	static @Nullable DataSource beside(DataSource dataSource, Duration timeout) throws SQLException {
		HikariDataSource pool = dataSource.unwrap(HikariDataSource.class);
		String url = (pool.getJdbcUrl() != null) ? pool.getJdbcUrl()
				: pool.getDataSourceProperties().getProperty("url", "");
		if (PrivateDatabases.isPrivate(url)) {
			return null;
		}
		HikariDataSource one = new HikariDataSource();
		pool.copyStateTo(one);
		one.setPoolName(
				(pool.getPoolName() != null) ? pool.getPoolName() + "-idempotency-renewals" : "idempotency-renewals");
		one.setMaximumPoolSize(1);
		one.setMinimumIdle(0);
		one.setIdleTimeout(SHORTEST_REST);
		one.setConnectionTimeout(Math.max(SHORTEST_TIMEOUT, timeout.toMillis()));
		one.setInitializationFailTimeout(-1);
		// Renewals hold it for as long as there are leases
		one.setLeakDetectionThreshold(0);
		// Not for the monitoring of the application
		one.setRegisterMbeans(false);
		one.setMetricsTrackerFactory(null);
		one.setMetricRegistry(null);
		one.setHealthCheckRegistry(null);
		return one;
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

}
