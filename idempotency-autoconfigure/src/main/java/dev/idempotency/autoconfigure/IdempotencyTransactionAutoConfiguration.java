package dev.idempotency.autoconfigure;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;

import javax.sql.DataSource;

import dev.idempotency.core.Transactions;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.ReflectionUtils;

/**
 * Auto-configuration of the transactions in which operations are completed and dry runs
 * are rolled back.
 */
@AutoConfiguration(afterName = { "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration",
		"org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
		"org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration" })
@ConditionalOnClass(PlatformTransactionManager.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
public final class IdempotencyTransactionAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	@Conditional(OnTransactionManager.class)
	@Nullable Transactions idempotencyTransactions(ListableBeanFactory beanFactory,
			ObjectProvider<PlatformTransactionManager> managers, ObjectProvider<IdempotencyStore> store) {
		PlatformTransactionManager chosen = choose(BeanFactoryUtils
			.beansOfTypeIncludingAncestors(beanFactory, PlatformTransactionManager.class, false, true)
			.values(), managers, store);
		return (chosen != null) ? new SpringTransactions(chosen) : null;
	}

	/**
	 * The only one, that of the store's database, or the primary one. The store is
	 * resolved only if there are several.
	 */
	private static @Nullable PlatformTransactionManager choose(Collection<PlatformTransactionManager> all,
			ObjectProvider<PlatformTransactionManager> primary, ObjectProvider<IdempotencyStore> store) {
		if (all.size() == 1) {
			return all.iterator().next();
		}
		List<PlatformTransactionManager> ofStore = (store.getIfAvailable() instanceof JdbcIdempotencyStore jdbc)
				? all.stream().filter((manager) -> manages(manager, jdbc.dataSource())).toList() : List.of();
		return (ofStore.size() == 1) ? ofStore.get(0) : primary.getIfUnique();
	}

	/**
	 * By name, since the managers of JDBC, JPA and Hibernate have this getter, but no
	 * common type that declares it.
	 */
	private static boolean manages(PlatformTransactionManager manager, DataSource dataSource) {
		Method getter = ReflectionUtils.findMethod(manager.getClass(), "getDataSource");
		return getter != null && ReflectionUtils.invokeMethod(getter, manager) == dataSource;
	}

	/**
	 * Matches if there is a transaction manager, even one that is not a candidate for
	 * injection.
	 */
	static final class OnTransactionManager implements ConfigurationCondition {

		@Override
		public ConfigurationPhase getConfigurationPhase() {
			return ConfigurationPhase.REGISTER_BEAN;
		}

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			ListableBeanFactory beanFactory = context.getBeanFactory();
			return beanFactory != null && BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory,
					PlatformTransactionManager.class, true, false).length > 0;
		}

	}

}
