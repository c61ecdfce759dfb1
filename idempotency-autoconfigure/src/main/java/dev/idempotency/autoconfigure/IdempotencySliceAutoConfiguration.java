package dev.idempotency.autoconfigure;

import dev.idempotency.core.Transactions;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of a substitute for the database or Redis in a slice of
 * {@code @WebMvcTest} or {@code @WebFluxTest}, which has neither.
 */
@AutoConfiguration(
		before = { IdempotencyAutoConfiguration.class, IdempotencyTransactionAutoConfiguration.class,
				IdempotencyWebMvcAutoConfiguration.class, IdempotencyWebFluxAutoConfiguration.class,
				IdempotencyMethodAutoConfiguration.class },
		afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
public final class IdempotencySliceAutoConfiguration {

	@Bean
	TestSlice idempotencyTestSlice() {
		return new TestSlice();
	}

	@Bean
	@ConditionalOnMissingBean(value = Transactions.class, type = "javax.sql.DataSource")
	Transactions idempotencySliceTransactions(TestSlice slice) {
		return slice.transactions();
	}

}
