package dev.idempotency.autoconfigure;

import dev.idempotency.IdempotencyConfigurationException;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration that validates {@code idempotency.enabled}. A value that is neither
 * true nor false would otherwise switch everything off without a message.
 */
@AutoConfiguration
public final class IdempotencySwitchAutoConfiguration {

	IdempotencySwitchAutoConfiguration(Environment environment) {
		String enabled = environment.getProperty("idempotency.enabled", "true");
		if (!enabled.equalsIgnoreCase("true") && !enabled.equalsIgnoreCase("false")) {
			throw new IdempotencyConfigurationException(
					"idempotency.enabled is \"%s\", which is neither true nor false".formatted(enabled),
					"Write true, or false to switch all protection off.");
		}
	}

}
