package dev.idempotency.web;

import java.util.List;
import java.util.Map;
import java.util.UUID;

import com.stripe.StripeClient;
import com.stripe.exception.StripeException;
import com.stripe.model.Charge;
import com.stripe.net.RequestOptions;
import com.stripe.param.ChargeCreateParams;
import dev.idempotency.Idempotent;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A client that knows nothing of us, and repeats requests by itself.
 */
class StripeClientTests {

	@AutoClose
	private static final TestServer server = TestServer.start(List.of(WebTestApplication.class, Charges.class));

	@Test
	void chargesOnceWhenTheAnswerIsLost() throws Exception {
		int before = server.executions().of("charge");
		try (LossyProxy proxy = new LossyProxy(server.port(), 2)) {
			Charge charge = client(proxy.port()).v1().charges().create(charge(2000));
			assertThat(charge.getAmount()).isEqualTo(2000);
			assertThat(charge.getLastResponse().headers().firstValue("Idempotent-Replayed")).contains("true");
			assertThat(proxy.lostAnswers()).isEqualTo(2);
		}
		assertThat(server.executions().of("charge")).isEqualTo(before + 1);
	}

	@Test
	void chargesEachTimeItIsMeant() throws Exception {
		int before = server.executions().of("charge");
		Charge first = client(server.port()).v1().charges().create(charge(100));
		Charge second = client(server.port()).v1().charges().create(charge(100));
		assertThat(second.getId()).isNotEqualTo(first.getId());
		assertThat(server.executions().of("charge")).isEqualTo(before + 2);
	}

	@Test
	void refusesAKeyForAnotherCharge() throws Exception {
		RequestOptions options = RequestOptions.builder().setIdempotencyKey(UUID.randomUUID().toString()).build();
		client(server.port()).v1().charges().create(charge(100), options);
		assertThatExceptionOfType(StripeException.class)
			.isThrownBy(() -> client(server.port()).v1().charges().create(charge(200), options))
			.satisfies((ex) -> assertThat(ex.getStatusCode()).isEqualTo(422));
	}

	private static StripeClient client(int port) {
		return StripeClient.builder()
			.setApiKey("sk_test_key")
			.setApiBase("http://localhost:" + port)
			.setMaxNetworkRetries(4)
			.setReadTimeout(1000)
			.build();
	}

	private static ChargeCreateParams charge(long amount) {
		return ChargeCreateParams.builder().setAmount(amount).setCurrency("eur").setSource("tok_visa").build();
	}

	@RestController
	record Charges(Executions executions) {

		@Idempotent
		@PostMapping("/v1/charges")
		Map<String, Object> charge(@RequestParam long amount, @RequestParam String currency) {
			return Map.of("id", "ch_" + this.executions.next("charge").hashCode(), "object", "charge", "amount", amount,
					"currency", currency);
		}

	}

}
