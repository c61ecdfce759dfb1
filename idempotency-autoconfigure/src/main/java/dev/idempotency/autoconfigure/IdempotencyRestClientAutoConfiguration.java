package dev.idempotency.autoconfigure;

import dev.idempotency.client.IdempotencyKeyClientInterceptor;
import dev.idempotency.client.KeyHeaders;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.http.client.ClientHttpRequestInterceptor;

/**
 * Auto-configuration of keys for the calls of every {@code RestClient} and
 * {@code RestTemplate} that Spring Boot's builders make.
 */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnClass({ RestClientCustomizer.class, ClientHttpRequestInterceptor.class })
@ConditionalOnBooleanProperty("idempotency.client.enabled")
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
public final class IdempotencyRestClientAutoConfiguration {

	IdempotencyRestClientAutoConfiguration() {
	}

	@Bean
	@ConditionalOnMissingBean
	IdempotencyKeyClientInterceptor idempotencyKeyClientInterceptor(IdempotencyProperties properties) {
		return new IdempotencyKeyClientInterceptor().withHeaders(new KeyHeaders(properties.client().headers()));
	}

	/**
	 * The last to be asked, and the first of the interceptors: what retries must do so
	 * inside of it.
	 */
	@Bean
	@Order
	RestClientCustomizer idempotencyRestClientCustomizer(IdempotencyKeyClientInterceptor interceptor) {
		return (builder) -> builder.requestInterceptors((all) -> all.add(0, interceptor));
	}

	@Bean
	@Order
	RestTemplateCustomizer idempotencyRestTemplateCustomizer(IdempotencyKeyClientInterceptor interceptor) {
		return (template) -> template.getInterceptors().add(0, interceptor);
	}

}
