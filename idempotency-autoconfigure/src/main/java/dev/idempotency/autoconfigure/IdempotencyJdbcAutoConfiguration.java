package dev.idempotency.autoconfigure;

import java.time.Duration;

import javax.sql.DataSource;

import dev.idempotency.autoconfigure.IdempotencyProperties.StoreType;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * Auto-configuration of the store in a database.
 */
@AutoConfiguration(before = IdempotencyAutoConfiguration.class,
		afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnClass({ DataSource.class, DataSourceUtils.class })
@ConditionalOnSingleCandidate(DataSource.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyProperties.class)
public final class IdempotencyJdbcAutoConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyJdbcAutoConfiguration.class);

	IdempotencyJdbcAutoConfiguration() {
	}

	@Bean
	StoreCandidate idempotencyJdbcStoreCandidate(DataSource dataSource, IdempotencyProperties properties) {
		return new StoreCandidate(StoreType.JDBC, () -> create(dataSource, properties));
	}

	private static JdbcIdempotencyStore create(DataSource dataSource, IdempotencyProperties properties) {
		Duration lease = OperationProperties.shortestLease(properties);
		if (properties.jdbc().timeout().compareTo(lease.dividedBy(2)) > 0) {
			logger.warn(
					"idempotency.jdbc.timeout ({}) is longer than half of the shortest lease ({}): a database that falls "
							+ "silent for so long lets leases run out. Lower it, or raise the lease.",
					properties.jdbc().timeout(), lease);
		}
		JdbcIdempotencyStore store = new JdbcIdempotencyStore(dataSource, properties.jdbc().settings());
		try {
			store.prepareTable(properties.jdbc().initializeSchema());
		}
		catch (DataAccessException ex) {
			// Whether the application can live without its database is not ours to decide
			logger.warn("The database of the idempotency store cannot be reached, and its table was not looked at: {}",
					ex.toString());
		}
		return store;
	}

}
