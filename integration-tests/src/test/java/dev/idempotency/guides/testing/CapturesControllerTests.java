package dev.idempotency.guides.testing;

import java.time.Duration;
import java.util.UUID;

import dev.idempotency.core.StoreVerb;
import dev.idempotency.test.FaultInjectingStore.Fault;
import dev.idempotency.test.TestIdempotency;
import dev.idempotency.test.TestIdempotencyConfiguration;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.reactive.server.EntityExchangeResult;
import org.springframework.test.web.reactive.server.WebTestClient;

import static dev.idempotency.test.IdempotencyAssertions.assertThatReplays;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * The slice of WebFlux of {@code docs/testing.md}.
 */
@WebFluxTest(CapturesController.class)
@Import(TestIdempotencyConfiguration.class)
class CapturesControllerTests {

	private final String key = UUID.randomUUID().toString();

	@Autowired
	private WebTestClient client;

	@Autowired
	private TestIdempotency idempotency;

	@MockitoBean
	private CardNetwork network;

	private EntityExchangeResult<String> capture(int amount) {
		return this.client.post()
			.uri("/captures")
			.header("Idempotency-Key", this.key)
			.contentType(MediaType.APPLICATION_JSON)
			.bodyValue("{\"amount\":%d}".formatted(amount))
			.exchange()
			.expectBody(String.class)
			.returnResult();
	}

	@Test
	void chargesOnce() {
		given(this.network.charge(20)).willReturn("r-1");
		EntityExchangeResult<String> first = assertThatReplays(() -> capture(20));
		assertThat(first.getResponseHeaders().getLocation()).hasToString("/captures/r-1");
		verify(this.network).charge(20);
	}

	@Test
	void chargesAgainWhenTheKeyHasExpired() {
		given(this.network.charge(20)).willReturn("r-1", "r-2");
		capture(20);
		this.idempotency.pass(Duration.ofHours(24));
		assertThat(capture(20).getResponseHeaders().getLocation()).hasToString("/captures/r-2");
	}

	@Test
	void countsAttemptsAfterACrash() {
		given(this.network.charge(20)).willReturn("r-1");
		this.idempotency.crashAfterWork(() -> capture(20));
		assertThat(capture(20).getResponseBody()).isEqualTo("attempt 2");
		verify(this.network, times(2)).charge(20);
	}

	@Test
	void chargesNobodyBeforeTheWork() {
		this.idempotency.crashBeforeWork(() -> capture(20));
		verify(this.network, never()).charge(anyInt());
	}

	@Test
	void chargesNobodyWhileTheStoreIsDown() throws Exception {
		assertThat(this.idempotency.failing(StoreVerb.CLAIM, Fault.BEFORE, () -> capture(20)).getStatus().value())
			.isEqualTo(503);
		verify(this.network, never()).charge(anyInt());
	}

}
