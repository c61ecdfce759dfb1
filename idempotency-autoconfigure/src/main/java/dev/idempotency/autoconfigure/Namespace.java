package dev.idempotency.autoconfigure;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import dev.idempotency.store.redis.RedisIdempotencyStore;

import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Determines the namespace, which separates the keys of applications that share a store.
 */
final class Namespace {

	private static final String UNNAMED = "application";

	private Namespace() {
	}

	/**
	 * Returns the namespace from the settings, or else the name of the application.
	 * @throws IdempotencyConfigurationException if there is neither, and the store may be
	 * shared
	 */
	static String of(IdempotencyProperties properties, Environment environment, IdempotencyStore store) {
		if (properties.namespace() != null) {
			return properties.namespace();
		}
		String name = environment.getProperty("spring.application.name");
		if (StringUtils.hasText(name)) {
			return name;
		}
		if (isShared(store)) {
			throw new IdempotencyConfigurationException(
					"This application has no name, and other applications may share its idempotency store: without "
							+ "names, their keys could collide, and one could get the stored results of another",
					"Set spring.application.name, or idempotency.namespace. To find records that were stored without a "
							+ "name, set idempotency.namespace=%s.".formatted(UNNAMED));
		}
		return UNNAMED;
	}

	/**
	 * Custom stores are assumed not to be shared.
	 */
	private static boolean isShared(IdempotencyStore store) {
		return store instanceof RedisIdempotencyStore
				|| (store instanceof JdbcIdempotencyStore jdbc && !jdbc.isEmbedded());
	}

}
