package dev.idempotency.autoconfigure;

import dev.idempotency.actuate.IdempotencyHealthIndicator;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the health of the store, also when protection is switched off.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnEnabledHealthIndicator("idempotency")
public final class IdempotencyHealthAutoConfiguration {

	@Bean
	@ConditionalOnBean(IdempotencyEngine.class)
	@ConditionalOnMissingBean(name = { "idempotencyHealthIndicator", "idempotencyHealthContributor" })
	IdempotencyHealthIndicator idempotencyHealthIndicator(IdempotencyStore store, IdempotencyEngine engine) {
		return new IdempotencyHealthIndicator(StoreNames.of(store), engine, new MonotonicClock());
	}

	/**
	 * Health groups that include this indicator fail at startup without it.
	 */
	@Bean("idempotencyHealthIndicator")
	@ConditionalOnBooleanProperty(name = "idempotency.enabled", havingValue = false)
	@ConditionalOnMissingBean(name = { "idempotencyHealthIndicator", "idempotencyHealthContributor" })
	HealthIndicator unprotectedHealthIndicator() {
		return () -> Health.unknown().withDetail("reason", "idempotency.enabled is false").build();
	}

}
