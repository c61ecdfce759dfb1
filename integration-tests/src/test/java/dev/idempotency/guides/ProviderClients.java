package dev.idempotency.guides;

import java.time.Duration;

import dev.idempotency.client.ClientRetry;
import dev.idempotency.client.IdempotencyKeyClientInterceptor;
import dev.idempotency.client.IdempotencyKeyExchangeFilter;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/**
 * The code of {@code docs/outgoing-calls.md}.
 */
@Configuration(proxyBeanMethods = false)
class ProviderClients {

	@Bean
	RestClient provider(@Value("${provider.url}") String url) {
		return RestClient.builder().baseUrl(url).requestInterceptor(IdempotencyKeyClientInterceptor.retrying()).build();
	}

	@Bean
	WebClient paypal() {
		return WebClient.builder()
			.baseUrl("https://api.paypal.com")
			.filter(new IdempotencyKeyExchangeFilter().withHeader("api.paypal.com", "PayPal-Request-Id"))
			.build();
	}

	static IdempotencyKeyClientInterceptor patient() {
		ClientRetry retry = ClientRetry.defaults()
			.withAttempts(10)
			.withDelay(Duration.ofMillis(100), Duration.ofSeconds(2))
			.withDeadline(Duration.ofSeconds(30))
			.withStatuses(409, 429, 502, 503, 504);
		return IdempotencyKeyClientInterceptor.retrying(retry);
	}

}
