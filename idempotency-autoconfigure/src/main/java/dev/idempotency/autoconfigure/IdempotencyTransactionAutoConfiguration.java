package dev.idempotency.autoconfigure;

import dev.idempotency.core.Transactions;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Auto-configuration of the transactions in which operations are completed, and dry runs
 * rolled back.
 */
@AutoConfiguration(afterName = { "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration",
		"org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
		"org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration" })
@ConditionalOnClass(PlatformTransactionManager.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
public final class IdempotencyTransactionAutoConfiguration {

	IdempotencyTransactionAutoConfiguration() {
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnSingleCandidate(PlatformTransactionManager.class)
	Transactions idempotencyTransactions(PlatformTransactionManager transactionManager) {
		return new SpringTransactions(transactionManager);
	}

}
