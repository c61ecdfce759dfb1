package dev.idempotency.autoconfigure;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import dev.idempotency.client.IdempotencyKeyExchangeFilter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * On the oldest Spring Boot only, as everything in this module.
 */
class IdempotencyWebClientAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("idempotency.store=memory", "idempotency.client.enabled=true")
		.withConfiguration(AutoConfigurations.of(WebClientAutoConfiguration.class, IdempotencyAutoConfiguration.class,
				IdempotencyWebClientAutoConfiguration.class));

	private final AtomicReference<@Nullable HttpHeaders> headers = new AtomicReference<>();

	private HttpHeaders call(ApplicationContext context) {
		context.getBean(WebClient.Builder.class).exchangeFunction((request) -> {
			this.headers.set(request.headers());
			return Mono.just(ClientResponse.create(HttpStatus.OK).build());
		}).build().post().uri("http://api.paypal.com/charges").retrieve().toBodilessEntity().block();
		return Objects.requireNonNull(this.headers.get());
	}

	@Test
	void givesTheCallsOfEveryClientKeys() {
		this.runner.run((context) -> assertThat(call(context).headerNames()).contains("Idempotency-Key"));
	}

	@Test
	void callsTheHeaderWhatTheHostCallsIt() {
		this.runner.withPropertyValues("idempotency.client.headers.api.paypal.com=PayPal-Request-Id")
			.run((context) -> assertThat(call(context).headerNames()).contains("PayPal-Request-Id"));
	}

	@Test
	void leavesClientsAloneUnlessItIsToldTo() {
		this.runner.withPropertyValues("idempotency.client.enabled=false")
			.run((context) -> assertThat(call(context).headerNames()).doesNotContain("Idempotency-Key"));
		this.runner.withPropertyValues("idempotency.enabled=false").run((context) -> {
			assertThat(call(context).headerNames()).doesNotContain("Idempotency-Key");
			assertThat(context).as("whoever refers to it").hasSingleBean(IdempotencyKeyExchangeFilter.class);
		});
	}

	@Test
	void backsOffForTheApplicationsOwn() {
		this.runner
			.withBean(IdempotencyKeyExchangeFilter.class,
					() -> new IdempotencyKeyExchangeFilter().withHeader("api.paypal.com", "Own-Key"))
			.run((context) -> assertThat(call(context).headerNames()).contains("Own-Key"));
	}

	@Test
	void staysAwayWithoutWebClient() {
		this.runner.withClassLoader(new FilteredClassLoader(WebClientCustomizer.class, WebClient.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("idempotencyKeyExchangeFilter"));
	}

}
