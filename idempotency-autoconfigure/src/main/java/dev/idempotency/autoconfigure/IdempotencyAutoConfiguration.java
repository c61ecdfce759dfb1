package dev.idempotency.autoconfigure;

import dev.idempotency.autoconfigure.IdempotencyProperties.StoreType;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.IdempotencyListener;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.memory.EvictionListener;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Auto-configuration of the engine and, where no other store is defined, of the store in
 * memory.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyProperties.class)
public final class IdempotencyAutoConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(IdempotencyAutoConfiguration.class);

	IdempotencyAutoConfiguration() {
	}

	@Bean
	@ConditionalOnMissingBean
	IdempotencyStore idempotencyStore(IdempotencyProperties properties,
			ObjectProvider<EvictionListener> evictionListeners) {
		if (properties.store() == StoreType.AUTO) {
			logger.warn("Idempotency keys are remembered in the memory of this process: after a restart, or on another "
					+ "instance, a retry runs again. Set idempotency.store=memory if that is what you want, "
					+ "or define a shared store.");
		}
		return new InMemoryIdempotencyStore(properties.memory().limits(), new MonotonicClock(),
				(key) -> evictionListeners.orderedStream().forEach((listener) -> listener.evicted(key)));
	}

	@Bean
	@ConditionalOnMissingBean
	IdempotencyEngine idempotencyEngine(IdempotencyStore store, IdempotencyProperties properties,
			Environment environment, ObjectProvider<IdempotencyListener> listeners) {
		EngineSettings settings = new EngineSettings(namespace(properties, environment), properties.mode(),
				properties.onStoreFailure());
		return new IdempotencyEngine(store, settings, new MonotonicClock(), listeners.orderedStream().toList());
	}

	private static String namespace(IdempotencyProperties properties, Environment environment) {
		if (properties.namespace() != null) {
			return properties.namespace();
		}
		String name = environment.getProperty("spring.application.name");
		return StringUtils.hasText(name) ? name : "application";
	}

	@Bean
	@ConditionalOnMissingBean
	OperationPolicy idempotencyOperationPolicy(IdempotencyProperties properties) {
		return properties.defaultPolicy();
	}

}
