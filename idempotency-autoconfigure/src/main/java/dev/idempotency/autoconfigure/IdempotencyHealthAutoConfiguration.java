package dev.idempotency.autoconfigure;

import dev.idempotency.actuate.IdempotencyHealthIndicator;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the health of the store.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(IdempotencyEngine.class)
@ConditionalOnEnabledHealthIndicator("idempotency")
public final class IdempotencyHealthAutoConfiguration {

	IdempotencyHealthAutoConfiguration() {
	}

	@Bean
	@ConditionalOnMissingBean(name = { "idempotencyHealthIndicator", "idempotencyHealthContributor" })
	IdempotencyHealthIndicator idempotencyHealthIndicator(IdempotencyStore store, IdempotencyEngine engine) {
		return new IdempotencyHealthIndicator(StoreNames.of(store), engine, new MonotonicClock());
	}

}
