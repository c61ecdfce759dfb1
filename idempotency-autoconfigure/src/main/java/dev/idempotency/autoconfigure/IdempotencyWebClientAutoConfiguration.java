package dev.idempotency.autoconfigure;

import dev.idempotency.client.IdempotencyKeyExchangeFilter;
import dev.idempotency.client.KeyHeaders;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * Auto-configuration of keys for the calls of every {@code WebClient} that Spring Boot's
 * builder makes.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnClass({ WebClientCustomizer.class, WebClient.class })
@ConditionalOnBooleanProperty("idempotency.client.enabled")
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
public final class IdempotencyWebClientAutoConfiguration {

	IdempotencyWebClientAutoConfiguration() {
	}

	@Bean
	@ConditionalOnMissingBean
	IdempotencyKeyExchangeFilter idempotencyKeyExchangeFilter(IdempotencyProperties properties) {
		return new IdempotencyKeyExchangeFilter().withHeaders(new KeyHeaders(properties.client().headers()));
	}

	/**
	 * The last to be asked, and the first of the filters: what retries must do so inside
	 * of it.
	 */
	@Bean
	@Order
	WebClientCustomizer idempotencyWebClientCustomizer(IdempotencyKeyExchangeFilter filter) {
		return (builder) -> builder.filters((all) -> all.add(0, filter));
	}

}
