package dev.idempotency.autoconfigure;

import dev.idempotency.autoconfigure.IdempotencyProperties.Client;
import dev.idempotency.client.IdempotencyKeyExchangeFilter;
import dev.idempotency.client.KeyHeaders;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * Auto-configuration of keys for the calls of every {@code WebClient} that Spring Boot's
 * builder creates. When protection is switched off, those clients send no keys, and the
 * filter exists only for code that depends on it.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnClass({ WebClientCustomizer.class, WebClient.class })
@ConditionalOnBooleanProperty("idempotency.client.enabled")
public final class IdempotencyWebClientAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	IdempotencyKeyExchangeFilter idempotencyKeyExchangeFilter(Environment environment) {
		// Bound here, since there is no IdempotencyProperties bean when protection is
		// switched off
		Client settings = Binder.get(environment).bindOrCreate("idempotency.client", Client.class);
		return new IdempotencyKeyExchangeFilter().withHeaders(new KeyHeaders(settings.headers()));
	}

	/**
	 * Called last, so that its filter comes first: filters that retry must run inside it.
	 */
	@Bean
	@Order
	@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
	WebClientCustomizer idempotencyWebClientCustomizer(IdempotencyKeyExchangeFilter filter) {
		return (builder) -> builder.filters((all) -> all.add(0, filter));
	}

}
