package dev.idempotency.autoconfigure;

import dev.idempotency.autoconfigure.IdempotencyProperties.Client;
import dev.idempotency.client.IdempotencyKeyClientInterceptor;
import dev.idempotency.client.KeyHeaders;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.http.client.ClientHttpRequestInterceptor;

/**
 * Auto-configuration of keys for the calls of every {@code RestClient} and
 * {@code RestTemplate} that Spring Boot's builders create. When protection is switched
 * off, those clients send no keys, and the interceptor exists only for code that depends
 * on it.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnClass({ RestClientCustomizer.class, ClientHttpRequestInterceptor.class })
@ConditionalOnBooleanProperty("idempotency.client.enabled")
public final class IdempotencyRestClientAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	IdempotencyKeyClientInterceptor idempotencyKeyClientInterceptor(Environment environment) {
		// Bound here, since there is no IdempotencyProperties bean when protection is
		// switched off
		Client settings = Binder.get(environment).bindOrCreate("idempotency.client", Client.class);
		return new IdempotencyKeyClientInterceptor().withHeaders(new KeyHeaders(settings.headers()));
	}

	/**
	 * Called last, so that its interceptor comes first: interceptors that retry must run
	 * inside it.
	 */
	@Bean
	@Order
	@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
	RestClientCustomizer idempotencyRestClientCustomizer(IdempotencyKeyClientInterceptor interceptor) {
		return (builder) -> builder.requestInterceptors((all) -> all.add(0, interceptor));
	}

	@Bean
	@Order
	@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
	RestTemplateCustomizer idempotencyRestTemplateCustomizer(IdempotencyKeyClientInterceptor interceptor) {
		return (template) -> template.getInterceptors().add(0, interceptor);
	}

}
