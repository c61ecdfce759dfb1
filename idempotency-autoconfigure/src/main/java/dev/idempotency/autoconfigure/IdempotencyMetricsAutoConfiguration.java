package dev.idempotency.autoconfigure;

import dev.idempotency.actuate.IdempotencyEngineMeters;
import dev.idempotency.actuate.IdempotencyMeters;
import dev.idempotency.actuate.IdempotencyStoreMeters;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.StoreTimer;
import dev.idempotency.store.memory.EvictionListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of meters.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnSingleCandidate(MeterRegistry.class)
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
public final class IdempotencyMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	IdempotencyMeters idempotencyMeters(MeterRegistry registry) {
		return new IdempotencyMeters(registry);
	}

	@Bean
	@ConditionalOnMissingBean(StoreTimer.class)
	IdempotencyStoreMeters idempotencyStoreMeters(MeterRegistry registry) {
		return new IdempotencyStoreMeters(registry);
	}

	@Bean
	@ConditionalOnMissingBean
	IdempotencyEngineMeters idempotencyEngineMeters(IdempotencyEngine engine) {
		return new IdempotencyEngineMeters(engine);
	}

	@Bean
	@ConditionalOnMissingBean(name = "idempotencyEvictionMeter")
	EvictionListener idempotencyEvictionMeter(MeterRegistry registry) {
		Counter evictions = Counter.builder("idempotency.memory.evictions")
			.description("Results that the store in memory evicted before their ttl ended, because it was full")
			.register(registry);
		return (key) -> evictions.increment();
	}

}
