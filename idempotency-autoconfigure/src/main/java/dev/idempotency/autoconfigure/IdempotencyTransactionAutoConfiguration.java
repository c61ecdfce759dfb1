package dev.idempotency.autoconfigure;

import dev.idempotency.core.Transactions;
import dev.idempotency.store.IdempotencyStore;
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
		PlatformTransactionManager chosen = new TransactionManagerChoice(BeanFactoryUtils
			.beansOfTypeIncludingAncestors(beanFactory, PlatformTransactionManager.class, false, true)
			.values()).choose(managers.getIfUnique(), store::getIfAvailable);
		return (chosen != null) ? new SpringTransactions(chosen) : null;
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
