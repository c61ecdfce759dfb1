package dev.idempotency.autoconfigure;

import dev.idempotency.actuate.IdempotencyObservationConvention;
import dev.idempotency.actuate.IdempotencyObserver;
import dev.idempotency.core.AttemptObserver;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of observations.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnSingleCandidate(ObservationRegistry.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
public final class IdempotencyObservationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(AttemptObserver.class)
	IdempotencyObserver idempotencyObserver(ObservationRegistry registry,
			ObjectProvider<IdempotencyObservationConvention> convention) {
		return new IdempotencyObserver(registry, convention.getIfAvailable());
	}

}
