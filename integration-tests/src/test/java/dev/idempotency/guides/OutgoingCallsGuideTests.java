package dev.idempotency.guides;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.web.TestServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The code of {@code docs/outgoing-calls.md} at work.
 */
@Tag("once")
class OutgoingCallsGuideTests {

	@Test
	void chargesOnceAlthoughTheAnswerGotLost() {
		try (TestServer provider = TestServer.start(List.of(Provider.class))) {
			AtomicInteger calls = new AtomicInteger();
			RestClient client = RestClient.builder()
				.baseUrl(provider.uri("").toString())
				.requestInterceptor(losingTheFirstAnswer(calls))
				.build();
			new Shop().runner()
				.withBean(RestClient.class, () -> client)
				.withBean(PaymentClient.class)
				.run((context) -> {
					PaymentClient payments = context.getBean(PaymentClient.class);
					Order order = new Order("1", 5);
					assertThatExceptionOfType(ResourceAccessException.class).isThrownBy(() -> payments.pay(order));
					assertThat(payments.pay(order)).isEqualTo(new Charge("ch-1", 5));
					assertThat(payments.pay(order)).isEqualTo(new Charge("ch-1", 5));
				});
			assertThat(calls).hasValue(2);
			assertThat(provider.bean(Payments.class).charges()).hasSize(1);
		}
	}

	@Test
	void retriesByItself() {
		try (TestServer provider = TestServer.start(List.of(Provider.class))) {
			AtomicInteger calls = new AtomicInteger();
			RestClient client = new ProviderClients().provider(provider.uri("").toString())
				.mutate()
				.requestInterceptor(losingTheFirstAnswer(calls))
				.build();
			OrderPayments payments = new OrderPayments(client);
			new Shop().runner().withBean(OrderPayments.class, () -> payments).run((context) -> {
				Charge charge = context.getBean(OrderPayments.class).pay(new Order("1", 5));
				assertThat(charge).isEqualTo(new Charge("ch-1", 5));
			});
			assertThat(calls).hasValue(2);
			assertThat(payments.replays()).isOne();
			assertThat(provider.bean(Payments.class).charges()).hasSize(1);
		}
	}

	@Test
	void canBeToldHowToRetry() {
		assertThat(ProviderClients.patient()).isNotNull();
		assertThat(new ProviderClients().paypal()).isNotNull();
	}

	private static ClientHttpRequestInterceptor losingTheFirstAnswer(AtomicInteger calls) {
		return (request, body, execution) -> {
			var answer = execution.execute(request, body);
			if (calls.incrementAndGet() == 1) {
				answer.close();
				throw new IOException("The connection broke");
			}
			return answer;
		};
	}

	@Test
	void makesAUuidWhereTheProviderWantsOne() {
		new Shop().runner().withBean(Probe.class).run((context) -> {
			Probe probe = context.getBean(Probe.class);
			assertThat(probe.uuid("1")).hasSize(36).isNotEqualTo(probe.uuid("2"));
		});
	}

	static class Probe {

		@Idempotent(key = "#id")
		String uuid(String id) {
			return PaymentClient.asUuid(IdempotencyContext.current());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Payments.class, Charging.class })
	static class Provider {

	}

	@RestController
	static class Charging {

		private final Payments payments;

		Charging(Payments payments) {
			this.payments = payments;
		}

		@PostMapping("/charges")
		@Idempotent
		Charge charge(@RequestBody Order order) {
			return this.payments.charge(order);
		}

	}

}
