package dev.idempotency.sample.payments;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.UUID;

import dev.idempotency.sample.payments.Payment.State;
import dev.idempotency.test.TestIdempotency;
import dev.idempotency.test.TestIdempotencyConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static dev.idempotency.test.IdempotencyAssertions.assertThatReplays;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * The handlers of payments alone, without database and security.
 */
@WebMvcTest(TransactionalPaymentController.class)
@Import(TestIdempotencyConfiguration.class)
class TransactionalPaymentControllerTests {

	private final String key = UUID.randomUUID().toString();

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private TestIdempotency idempotency;

	@MockitoBean
	private Payments payments;

	@MockitoBean
	private CardNetwork network;

	@BeforeEach
	void charge() {
		given(this.payments.charge(any(), any(), any()))
			.willReturn(new Payment("pay_1", "anna", BigDecimal.TEN, "shoes", State.CHARGED));
	}

	private MvcTestResult pay(String customer) {
		return this.mvc.post()
			.uri("/payments")
			.principal(() -> customer)
			.header("Idempotency-Key", this.key)
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"amount\":10,\"purpose\":\"shoes\"}")
			.exchange();
	}

	@Test
	void chargesOnce() {
		MvcTestResult first = assertThatReplays(() -> pay("anna"));
		assertThat(first).hasStatus(201).hasHeader("Location", "/payments/pay_1");
		verify(this.payments).charge(any(), any(), any());
		verify(this.network).agree();
	}

	@Test
	void chargesEachCustomer() {
		assertThatReplays(() -> pay("anna"));
		assertThatReplays(() -> pay("ben"));
		verify(this.payments, times(2)).charge(any(), any(), any());
	}

	@Test
	void chargesAgainWhenTheKeyHasExpired() {
		pay("anna");
		this.idempotency.pass(Duration.ofHours(24));
		assertThatReplays(() -> pay("anna"));
		verify(this.payments, times(2)).charge(any(), any(), any());
	}

}
