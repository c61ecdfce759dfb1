package dev.idempotency.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the health when protection is switched off. Groups that name it
 * would keep the application from starting if it were gone.
 */
@AutoConfiguration
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBooleanProperty(name = "idempotency.enabled", havingValue = false)
@ConditionalOnEnabledHealthIndicator("idempotency")
public final class IdempotencyHealthOffAutoConfiguration {

	IdempotencyHealthOffAutoConfiguration() {
	}

	@Bean
	@ConditionalOnMissingBean(name = { "idempotencyHealthIndicator", "idempotencyHealthContributor" })
	HealthIndicator idempotencyHealthIndicator() {
		return () -> Health.unknown().withDetail("reason", "idempotency.enabled is false").build();
	}

}
