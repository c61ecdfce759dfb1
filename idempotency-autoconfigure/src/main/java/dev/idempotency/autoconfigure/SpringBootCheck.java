package dev.idempotency.autoconfigure;

import dev.idempotency.IdempotencyConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;

/**
 * Fails with a clear message before Spring Boot 4, instead of with a missing class. It
 * uses nothing that Spring Boot 3 does not have.
 */
final class SpringBootCheck implements ApplicationContextInitializer<ConfigurableApplicationContext>, Ordered {

	private static final int OLDEST = 4;

	private final @Nullable String version;

	SpringBootCheck() {
		this(SpringBootVersion.getVersion());
	}

	SpringBootCheck(@Nullable String version) {
		this.version = version;
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		if (this.version != null && major(this.version) < OLDEST) {
			throw new IdempotencyConfigurationException(
					"This application runs on Spring Boot %s, and idempotency-spring-boot-starter needs Spring Boot %d.0 or later"
						.formatted(this.version, OLDEST),
					"Upgrade to Spring Boot %d, or leave idempotency-spring-boot-starter out.".formatted(OLDEST));
		}
	}

	/**
	 * An unknown format is not considered too old.
	 */
	private static int major(String version) {
		String digits = version.split("[^0-9]", 2)[0];
		return (digits.isEmpty() || digits.length() > 4) ? Integer.MAX_VALUE : Integer.parseInt(digits);
	}

}
