package dev.idempotency.autoconfigure;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import dev.idempotency.store.redis.RedisIdempotencyStore;

import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Keeps the keys of applications apart that share a store.
 */
final class Namespace {

	private static final String UNNAMED = "application";

	private Namespace() {
	}

	/**
	 * What the settings say, or else the name of the application.
	 * @throws IdempotencyConfigurationException if it has none, and its store may be that
	 * of others too
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
					"This application has no name, and its idempotency keys are remembered where those of other "
							+ "applications may be: without names, they would meet, and one would get the answers of another",
					"Set spring.application.name, or idempotency.namespace. To find what was remembered without a name, set "
							+ "idempotency.namespace=%s.".formatted(UNNAMED));
		}
		return UNNAMED;
	}

	/**
	 * Stores of others say nothing of it, and are taken for the application's own.
	 */
	private static boolean isShared(IdempotencyStore store) {
		return store instanceof RedisIdempotencyStore
				|| (store instanceof JdbcIdempotencyStore jdbc && !jdbc.isEmbedded());
	}

}
