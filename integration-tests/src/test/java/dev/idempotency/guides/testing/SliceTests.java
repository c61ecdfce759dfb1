package dev.idempotency.guides.testing;

import java.util.UUID;

import dev.idempotency.Idempotent;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.MediaType;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.RequestBuilder;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;

import static dev.idempotency.test.IdempotencyAssertions.assertThatReplays;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * What a slice of {@code @WebMvcTest} protects.
 */
@WebMvcTest
@ExtendWith(OutputCaptureExtension.class)
class SliceTests {

	private final String key = UUID.randomUUID().toString();

	@Autowired
	private MockMvcTester mvc;

	@MockitoBean
	private CardNetwork network;

	@MockitoBean
	private Transfers transfers;

	@MockitoBean
	private Refunds refunds;

	private MvcTestResult post(String path, int amount) {
		return this.mvc.post()
			.uri(path)
			.header("Idempotency-Key", this.key)
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"amount\":%d}".formatted(amount))
			.exchange();
	}

	private static void assertReplay(MvcTestResult answer) {
		assertThat(answer).hasHeader("Idempotent-Replayed", "true");
	}

	@Test
	void runsAHandlerOnce() {
		given(this.network.charge(5)).willReturn("r-1");
		assertThat(post("/payments", 5)).hasStatus(201).bodyText().isEqualTo("r-1");
		MvcTestResult retry = post("/payments", 5);
		assertReplay(retry);
		assertThat(retry).hasStatus(201).hasHeader("Location", "/payments/r-1").bodyText().isEqualTo("r-1");
		assertThat(post("/payments", 6)).hasStatus(422);
		verify(this.network).charge(anyInt());
	}

	@Test
	void comparesWhatEachFormOfMockMvcGives(@Autowired MockMvc mockMvc) {
		given(this.network.charge(5)).willReturn("r-1");
		RequestBuilder one = paymentWith(UUID.randomUUID());
		RequestBuilder another = paymentWith(UUID.randomUUID());
		assertThatReplays(() -> mockMvc.perform(one));
		assertThatReplays(() -> mockMvc.perform(another).andReturn());
		verify(this.network, times(2)).charge(5);
	}

	private static RequestBuilder paymentWith(UUID key) {
		return MockMvcRequestBuilders.post("/payments")
			.header("Idempotency-Key", key)
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"amount\":5}");
	}

	@Test
	void refusesARequestWithoutAKey() {
		assertThat(this.mvc.post().uri("/payments").contentType(MediaType.APPLICATION_JSON).content("{}"))
			.hasStatus(400)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
		verify(this.network, never()).charge(anyInt());
	}

	@Test
	void replaysAnErrorThatOnlyAContainerWouldRender() {
		assertThat(post("/payments", 0)).hasStatus(400);
		MvcTestResult retry = post("/payments", 0);
		assertReplay(retry);
		assertThat(retry).hasStatus(400);
	}

	@Test
	void givesTheKeyBackWhenTheHandlerFails() {
		given(this.network.charge(5)).willThrow(new IllegalStateException("no line")).willReturn("r-2");
		assertThat(post("/payments", 5)).hasFailed();
		assertThat(post("/payments", 5)).hasStatus(201);
	}

	@Test
	void runsAnAsynchronousHandlerOnce() {
		given(this.network.charge(7)).willReturn("r-7");
		assertThat(post("/later", 7)).hasStatus(200).bodyText().isEqualTo("r-7");
		MvcTestResult retry = post("/later", 7);
		assertReplay(retry);
		assertThat(retry).bodyText().isEqualTo("r-7");
		verify(this.network).charge(7);
	}

	@Test
	void leavesMocksOfProtectedMethodsAlone() {
		given(this.refunds.refund("r-1")).willReturn("refunded");
		assertThat(this.refunds.refund("r-1")).isEqualTo("refunded");
		assertThat(this.refunds.refund("r-1")).isEqualTo("refunded");
		verify(this.refunds, times(2)).refund("r-1");
	}

	@Test
	void runsTransactionalHandlersWhereThereAreNoTransactions() {
		assertThat(post("/transfers", 5)).hasStatus(201);
		assertReplay(post("/transfers", 5));
		verify(this.transfers).book(5);
	}

	@Test
	void givesTheKeyOfATransactionalHandlerBackWhenItFails() {
		doThrow(new IllegalStateException("locked")).doNothing().when(this.transfers).book(5);
		assertThat(post("/transfers", 5)).hasFailed();
		assertThat(post("/transfers", 5)).hasStatus(201);
		verify(this.transfers, times(2)).book(5);
	}

	@Test
	void rehearses() {
		assertThat(this.mvc.post()
			.uri("/transfers")
			.header("Idempotency-Key", this.key)
			.header("Idempotency-Dry-Run", "?1")
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"amount\":5}")).hasStatus(201).hasHeader("Idempotency-Effect", "would_create");
	}

	/**
	 * With a context of its own, whose start it sees.
	 */
	@Nested
	@TestPropertySource(properties = "idempotency.ttl=1h")
	class AtItsStart {

		@Test
		void remembersInMemoryAndWarnsNobody(@Autowired IdempotencyStore store, CapturedOutput output) {
			assertThat(AopUtils.getTargetClass(store)).isEqualTo(InMemoryIdempotencyStore.class);
			assertThat(output).contains("Idempotency: store memory").doesNotContain("in the memory of this process");
		}

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
			post("/transfers", 5);
			assertThat(post("/transfers", 5)).hasStatus(201).doesNotContainHeader("Idempotent-Replayed");
			verify(SliceTests.this.transfers, times(2)).book(5);
		}

	}

	static class Refunds {

		@Idempotent(key = "#id")
		String refund(String id) {
			return id;
		}

	}

}
