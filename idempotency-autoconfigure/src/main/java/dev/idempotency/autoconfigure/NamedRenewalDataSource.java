package dev.idempotency.autoconfigure;

import java.sql.SQLException;
import java.time.Duration;

import javax.sql.DataSource;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.store.jdbc.RenewalDataSources;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * Renews leases on connections of a data source that the settings name.
 */
final class NamedRenewalDataSource implements RenewalDataSources {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyJdbcAutoConfiguration.class);

	private final String name;

	private final DataSource named;

	private final Duration shortestLease;

	NamedRenewalDataSource(String name, DataSource named, Duration shortestLease) {
		this.name = name;
		this.named = named;
		this.shortestLease = shortestLease;
	}

	/**
	 * Checks that the store has only one database.
	 */
	static void requireOneDatabase(DataSource dataSource) {
		boolean routes = false;
		try {
			routes = dataSource.isWrapperFor(AbstractRoutingDataSource.class);
		}
		catch (SQLException ex) {
			logger.debug("A data source cannot be unwrapped", ex);
		}
		if (routes) {
			throw new IdempotencyConfigurationException(
					"idempotency.jdbc.renewal-data-source names one DataSource, and that of the store leads to several databases",
					"Leave it out: a connection for renewals is derived from each of them.");
		}
	}

	@Override
	public DataSource beside(DataSource dataSource) {
		Duration timeout = commonTimeout(dataSource);
		if (timeout != null && timeout.compareTo(this.shortestLease.dividedBy(2)) >= 0) {
			throw new IdempotencyConfigurationException(
					("idempotency.jdbc.renewal-data-source is \"%s\", the pool of the store itself, whose connection "
							+ "timeout is %s: a renewal that waits for half of the shortest lease (%s) can be too late")
						.formatted(this.name, timeout, this.shortestLease),
					"Leave it out, name a DataSource for one connection that nothing else uses, or set the "
							+ "connection timeout of the pool (spring.datasource.hikari.connection-timeout) to less "
							+ "than half of the lease.");
		}
		// The application closes it
		return new DelegatingDataSource(this.named);
	}

	private @Nullable Duration commonTimeout(DataSource dataSource) {
		try {
			return HikariPools.isPresent() ? HikariPools.commonTimeout(this.named, dataSource) : null;
		}
		catch (SQLException ex) {
			logger.debug("A data source cannot be unwrapped", ex);
			return null;
		}
	}

}
