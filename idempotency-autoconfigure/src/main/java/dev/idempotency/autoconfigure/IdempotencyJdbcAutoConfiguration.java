package dev.idempotency.autoconfigure;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.autoconfigure.IdempotencyProperties.StoreType;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import dev.idempotency.store.jdbc.RenewalDataSources;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * Auto-configuration of the store in a database.
 */
@AutoConfiguration(before = IdempotencyAutoConfiguration.class,
		afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnClass({ DataSource.class, DataSourceUtils.class })
@Conditional(IdempotencyJdbcAutoConfiguration.OnDataSource.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyProperties.class)
public final class IdempotencyJdbcAutoConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyJdbcAutoConfiguration.class);

	@Bean
	StoreCandidate idempotencyJdbcStoreCandidate(ConfigurableListableBeanFactory beanFactory,
			ObjectProvider<DataSource> dataSources, IdempotencyProperties properties) {
		return new StoreCandidate(StoreType.JDBC, () -> {
			String name = properties.jdbc().dataSource();
			DataSource dataSource = (name != null) ? named("idempotency.jdbc.data-source", name, beanFactory)
					: only(dataSources, beanFactory);
			DestructionOrder.outlivesStore(dataSource, DataSource.class, beanFactory);
			return create(dataSource, renewals(dataSource, beanFactory, properties), properties);
		});
	}

	private static RenewalDataSources renewals(DataSource dataSource, ListableBeanFactory beanFactory,
			IdempotencyProperties properties) {
		String name = properties.jdbc().renewalDataSource();
		if (name == null) {
			return new DerivedDataSources(properties.jdbc().timeout());
		}
		DataSource named = named("idempotency.jdbc.renewal-data-source", name, beanFactory);
		NamedRenewalDataSource.requireOneDatabase(dataSource);
		return new NamedRenewalDataSource(name, named, OperationProperties.shortestLease(properties));
	}

	private static DataSource named(String setting, String name, ListableBeanFactory beanFactory) {
		if (!beanFactory.containsBean(name) || !beanFactory.isTypeMatch(name, DataSource.class)) {
			String names = names(beanFactory);
			throw new IdempotencyConfigurationException(
					"%s is \"%s\", and there is no DataSource bean of that name".formatted(setting, name),
					names.isEmpty() ? "Define one, or leave it out." : "Write one of %s.".formatted(names));
		}
		return beanFactory.getBean(name, DataSource.class);
	}

	/**
	 * Returns the only or the primary data source.
	 */
	private static DataSource only(ObjectProvider<DataSource> dataSources, ListableBeanFactory beanFactory) {
		DataSource only = dataSources.getIfUnique();
		if (only == null) {
			throw new IdempotencyConfigurationException(
					"Idempotency keys can be stored in several DataSources (%s), and none is primary"
						.formatted(names(beanFactory)),
					"Set idempotency.jdbc.data-source to one of these names, mark one as primary, or set "
							+ "idempotency.store to another store.");
		}
		return only;
	}

	private static String names(ListableBeanFactory beanFactory) {
		return Arrays.stream(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, DataSource.class))
			.sorted()
			.collect(Collectors.joining(", "));
	}

	private static JdbcIdempotencyStore create(DataSource dataSource, RenewalDataSources renewals,
			IdempotencyProperties properties) {
		Duration lease = OperationProperties.shortestLease(properties);
		if (properties.jdbc().timeout().compareTo(lease.dividedBy(2)) > 0) {
			logger.warn(
					"idempotency.jdbc.timeout ({}) is longer than half of the shortest lease ({}): leases can expire "
							+ "while a renewal waits for the database. Lower the timeout, or raise the lease.",
					properties.jdbc().timeout(), lease);
		}
		JdbcIdempotencyStore store = new JdbcIdempotencyStore(dataSource, properties.jdbc().settings(), renewals);
		try {
			store.prepareTable(properties.jdbc().initializeSchema());
		}
		catch (DataAccessException ex) {
			// The application may start without its database
			logger.warn("The database of the idempotency store cannot be reached, and its table was not checked: {}",
					ex.toString());
		}
		return store;
	}

	/**
	 * Matches if there is a data source, or if a setting names one: that one may not be a
	 * candidate for injection.
	 */
	static final class OnDataSource extends AnyNestedCondition {

		OnDataSource() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnBean(DataSource.class)
		static final class Present {

		}

		@ConditionalOnProperty("idempotency.jdbc.data-source")
		static final class Named {

		}

	}

}
