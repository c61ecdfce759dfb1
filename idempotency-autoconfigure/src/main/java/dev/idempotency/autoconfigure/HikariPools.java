package dev.idempotency.autoconfigure;

import java.sql.SQLException;
import java.time.Duration;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * What is known of pools of Hikari, where there are any.
 */
final class HikariPools {

	/**
	 * The shortest times that Hikari takes.
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
	 * A pool of one connection that has everything in common with another pool: driver,
	 * properties, credentials, schema and what is said to each new connection. It opens
	 * nothing before it is asked.
	 * @return {@code null} if there is no other way to the database
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
		// It is kept for as long as leases are renewed
		one.setLeakDetectionThreshold(0);
		// Nobody looks after it but the store
		one.setRegisterMbeans(false);
		one.setMetricsTrackerFactory(null);
		one.setMetricRegistry(null);
		one.setHealthCheckRegistry(null);
		return one;
	}

	/**
	 * For how long at most a connection is waited for.
	 * @return {@code null} if these are not the same pool of Hikari
	 */
	static @Nullable Duration commonTimeout(DataSource one, DataSource other) throws SQLException {
		if (!one.isWrapperFor(HikariDataSource.class) || !other.isWrapperFor(HikariDataSource.class)) {
			return null;
		}
		HikariDataSource pool = one.unwrap(HikariDataSource.class);
		return (pool == other.unwrap(HikariDataSource.class)) ? Duration.ofMillis(pool.getConnectionTimeout()) : null;
	}

}
