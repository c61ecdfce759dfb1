package dev.idempotency.guides.testing;

import java.util.UUID;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.http.MediaType;
import org.springframework.test.context.TestContextManager;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.reactive.server.EntityExchangeResult;
import org.springframework.test.web.reactive.server.WebTestClient;

import static dev.idempotency.test.IdempotencyAssertions.assertThatReplays;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * What a slice of {@code @WebFluxTest} protects.
 */
@WebFluxTest({ CapturesController.class, PaymentController.class })
@ExtendWith(OutputCaptureExtension.class)
class ReactiveSliceTests {

	private final String key = UUID.randomUUID().toString();

	@Autowired
	private WebTestClient client;

	@MockitoBean
	private CardNetwork network;

	private WebTestClient.ResponseSpec post(String path, String key, int amount) {
		return this.client.post()
			.uri(path)
			.header("Idempotency-Key", key)
			.contentType(MediaType.APPLICATION_JSON)
			.bodyValue("{\"amount\":%d}".formatted(amount))
			.exchange();
	}

	private EntityExchangeResult<String> post(String path, int amount) {
		return post(path, this.key, amount).expectBody(String.class).returnResult();
	}

	@Test
	void runsAHandlerOnce() {
		given(this.network.charge(5)).willReturn("r-1");
		assertThat(post("/payments", 5).getStatus().value()).isEqualTo(201);
		EntityExchangeResult<String> retry = post("/payments", 5);
		assertThat(retry.getResponseHeaders().getFirst("Idempotent-Replayed")).isEqualTo("true");
		assertThat(retry.getResponseBody()).isEqualTo("r-1");
		assertThat(post("/payments", 6).getStatus().value()).isEqualTo(422);
		verify(this.network).charge(anyInt());
	}

	@Test
	void comparesWhatEachFormOfTheClientGives() {
		given(this.network.charge(5)).willReturn("r-1");
		assertThatReplays(() -> post("/captures", 5));
		String another = UUID.randomUUID().toString();
		assertThatReplays(() -> post("/captures", another, 5).expectBody().returnResult());
		verify(this.network, times(2)).charge(5);
	}

	@Test
	void refusesARequestWithoutAKey() {
		this.client.post()
			.uri("/captures")
			.contentType(MediaType.APPLICATION_JSON)
			.bodyValue("{}")
			.exchange()
			.expectStatus()
			.isBadRequest()
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON);
		verify(this.network, never()).charge(anyInt());
	}

	@Test
	void replaysAnError() {
		EntityExchangeResult<String> first = assertThatReplays(() -> post("/payments", 0));
		assertThat(first.getStatus().value()).isEqualTo(400);
	}

	@Test
	void givesTheKeyBackWhenTheHandlerFails() {
		given(this.network.charge(5)).willThrow(new IllegalStateException("no line")).willReturn("r-2");
		assertThat(post("/captures", 5).getStatus().value()).isEqualTo(500);
		assertThat(post("/captures", 5).getStatus().value()).isEqualTo(201);
	}

	@Test
	void remembersInMemory(@Autowired IdempotencyStore store) {
		assertThat(AopUtils.getTargetClass(store)).isEqualTo(InMemoryIdempotencyStore.class);
	}

	/**
	 * As the application would be.
	 */
	@Test
	void refusesTransactionalHandlers() {
		assertThatThrownBy(() -> new TestContextManager(OfTransfers.class).prepareTestInstance(new OfTransfers()))
			.rootCause()
			.hasMessageContaining("TransferController#transfer(Payment) asks for transactional = true");
	}

	/**
	 * The application's own settings name a store that a slice does not have.
	 */
	@Nested
	@TestPropertySource(properties = "idempotency.store=jdbc")
	class WithAStoreThatIsNotThere {

		@Test
		void remembersInMemoryAndSaysSo(@Autowired IdempotencyStore store, CapturedOutput output) {
			assertThat(AopUtils.getTargetClass(store)).isEqualTo(InMemoryIdempotencyStore.class);
			assertThat(output).contains("idempotency.store is jdbc, which this test slice does not have");
		}

	}

	@Nested
	@TestPropertySource(properties = "idempotency.enabled=false")
	class SwitchedOff {

		@Test
		void runsEachTime() {
			given(ReactiveSliceTests.this.network.charge(5)).willReturn("r-1", "r-2");
			post("/captures", 5);
			EntityExchangeResult<String> retry = post("/captures", 5);
			assertThat(retry.getResponseHeaders().getLocation()).hasToString("/captures/r-2");
			assertThat(retry.getResponseHeaders().getFirst("Idempotent-Replayed")).isNull();
		}

	}

	@WebFluxTest(TransferController.class)
	@MockitoBean(types = Transfers.class)
	static class OfTransfers {

	}

}
