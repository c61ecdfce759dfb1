package dev.idempotency.sample.orders;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Objects;

import dev.idempotency.IdempotencyKeys;
import dev.idempotency.client.ClientRetry;
import dev.idempotency.client.IdempotencyKeyClientInterceptor;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/**
 * Charges customers through another service, at {@code sample.provider-url}. The
 * interceptor adds the keys.
 */
@Component
@ConditionalOnProperty("sample.provider-url")
class PaymentProvider {

	private static final Duration LONGEST_ANSWER = Duration.ofSeconds(10);

	private final RestClient client;

	PaymentProvider(@Value("${sample.provider-url}") String url, @Value("${sample.stable-keys}") boolean stableKeys) {
		JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory();
		requests.setReadTimeout(LONGEST_ANSWER);
		this.client = RestClient.builder()
			.baseUrl(url)
			.requestFactory(requests)
			.requestInterceptor(stableKeys ? retrying() : newKeyEachTime())
			.defaultHeaders((headers) -> headers.setBasicAuth("anna", "anna"))
			.build();
	}

	private static ClientHttpRequestInterceptor retrying() {
		return IdempotencyKeyClientInterceptor.retrying(ClientRetry.defaults()
			.withAttempts(3)
			.withDelay(Duration.ofMillis(100), Duration.ofSeconds(1))
			.withDeadline(Duration.ofSeconds(20)));
	}

	/**
	 * A new key in each attempt, which does not protect from a second charge. For
	 * comparison.
	 */
	private static ClientHttpRequestInterceptor newKeyEachTime() {
		return (request, body, execution) -> {
			request.getHeaders().set("Idempotency-Key", IdempotencyKeys.random());
			return execution.execute(request, body);
		};
	}

	/**
	 * Charges the customer.
	 * @return the id of the payment
	 */
	String charge(Order order) {
		Payment payment = this.client.post()
			.uri("/payments")
			.body(new Charge(order.amount(), order.item()))
			.retrieve()
			.body(Payment.class);
		return Objects.requireNonNull(payment).id();
	}

	private record Charge(BigDecimal amount, String purpose) {
	}

	private record Payment(String id) {
	}

}
