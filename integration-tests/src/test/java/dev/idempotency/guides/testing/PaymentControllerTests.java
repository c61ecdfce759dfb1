package dev.idempotency.guides.testing;

import java.time.Duration;
import java.util.UUID;

import dev.idempotency.core.StoreVerb;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.TestIdempotency;
import dev.idempotency.test.TestIdempotencyConfiguration;
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
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * The slice of {@code docs/testing.md}.
 */
@WebMvcTest(PaymentController.class)
@Import(TestIdempotencyConfiguration.class)
class PaymentControllerTests {

	private final String key = UUID.randomUUID().toString();

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private TestIdempotency idempotency;

	@MockitoBean
	private CardNetwork network;

	private MvcTestResult pay(int amount) {
		return this.mvc.post()
			.uri("/payments")
			.header("Idempotency-Key", this.key)
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"amount\":%d}".formatted(amount))
			.exchange();
	}

	@Test
	void chargesOnce() {
		given(this.network.charge(20)).willReturn("r-1");
		MvcTestResult first = assertThatReplays(() -> pay(20));
		assertThat(first).hasStatus(201).hasHeader("Location", "/payments/r-1");
		verify(this.network).charge(20);
	}

	@Test
	void refusesAnotherAmountUnderTheSameKey() {
		given(this.network.charge(20)).willReturn("r-1");
		pay(20);
		assertThat(pay(30)).hasStatus(422);
		verify(this.network, never()).charge(30);
	}

	@Test
	void chargesAgainWhenTheKeyHasExpired() {
		given(this.network.charge(20)).willReturn("r-1", "r-2");
		pay(20);
		this.idempotency.pass(Duration.ofHours(24));
		assertThat(pay(20)).bodyText().isEqualTo("r-2");
	}

	@Test
	void asksTheNetworkAfterACrash() {
		given(this.network.charge(20)).willReturn("r-1");
		given(this.network.hasCharged(this.key)).willReturn(true);
		this.idempotency.crashAfterWork(() -> pay(20));
		assertThat(pay(20)).hasStatus(200).bodyText().isEqualTo("charged before");
		verify(this.network).charge(20);
	}

	@Test
	void chargesWhenTheFirstAttemptNeverGotThere() {
		given(this.network.charge(20)).willReturn("r-1");
		this.idempotency.crashBeforeWork(() -> pay(20));
		verify(this.network, never()).charge(20);
		assertThat(pay(20)).hasStatus(201);
		verify(this.network).hasCharged(this.key);
	}

	@Test
	void chargesNobodyWhileTheStoreIsDown() throws Exception {
		assertThat(this.idempotency.failing(StoreVerb.CLAIM, Fault.BEFORE, () -> pay(20))).hasStatus(503);
		verify(this.network, never()).charge(20);
	}

	@Test
	void chargesOnceWhenTheAnswerOfTheStoreGetsLost() throws Exception {
		given(this.network.charge(20)).willReturn("r-1");
		this.idempotency.failing(StoreVerb.COMPLETE, Fault.AFTER, () -> pay(20));
		assertThat(pay(20)).hasStatus(201).hasHeader("Idempotent-Replayed", "true");
		verify(this.network, times(1)).charge(20);
	}

}
