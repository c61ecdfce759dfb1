package dev.idempotency.web;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.Idempotent;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What requests cost a server that is asked by nobody else, by its own account.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class StoreCostContract {

	/**
	 * 184 bytes, as a small answer has them.
	 */
	static final String ANSWER = "{\"id\":\"pay_7f3e9a52c1d84b06\",\"amount\":1999,\"currency\":\"EUR\","
			+ "\"status\":\"captured\",\"customer\":\"cus_4711\",\"created\":\"2026-01-01T12:00:00Z\","
			+ "\"method\":\"card\",\"description\":\"A book\",\"fee\":149}";

	/**
	 * Where requests are traced, a record has 49 characters more.
	 */
	static final String WITHOUT_TRACES = ",dev.idempotency.autoconfigure.IdempotencyTracingAutoConfiguration";

	@AutoClose
	private TestServer server;

	private Turnstile turnstile;

	@BeforeAll
	void start() {
		this.server = startServer();
		this.turnstile = this.server.bean(Turnstile.class);
	}

	/**
	 * The first request makes a connection, and has the server read scripts.
	 */
	@BeforeEach
	void warmUp() {
		String key = TestServer.newKey();
		pay(key, 1);
		pay(key, 1);
	}

	abstract TestServer startServer();

	/**
	 * What the server was asked meanwhile.
	 */
	abstract List<String> roundTripsOf(Runnable work) throws Exception;

	/**
	 * What it takes to know that a key is in progress.
	 */
	int roundTripsOfAKeyInProgress() {
		return 1;
	}

	/**
	 * What the server has refused since its scripts are known.
	 */
	abstract List<String> errors() throws Exception;

	TestServer server() {
		return this.server;
	}

	Answer pay(String key, int amount) {
		return call("/payments", key, amount).send();
	}

	private TestServer.Call call(String path, String key, int amount) {
		return this.server.post(path).key(key).json("{\"amount\":%d}".formatted(amount));
	}

	@Test
	void aFirstRequestCostsTwoRoundTripsAndAReplayOne() throws Exception {
		String key = TestServer.newKey();
		assertThat(roundTripsOf(() -> {
			Answer first = pay(key, 1);
			assertThat(first.status()).as("%s", first).isEqualTo(200);
			assertThat(first.body()).hasSize(184);
		})).hasSize(2);
		for (int i = 0; i < 10; i++) {
			assertThat(roundTripsOf(() -> assertThat(pay(key, 1).isReplay()).isTrue())).hasSize(1);
		}
		assertThat(errors()).isEmpty();
	}

	@Test
	void aRefusalCostsOneRoundTripWhereTheKeyIsCompleted() throws Exception {
		String key = TestServer.newKey();
		CompletableFuture<Answer> held = this.turnstile.hold(call("/held", key, 1));
		assertThat(roundTripsOf(
				() -> assertThat(call("/held", key, 1).send().text()).contains("urn:idempotency:in-progress")))
			.hasSize(roundTripsOfAKeyInProgress());
		assertThat(roundTripsOf(
				() -> assertThat(call("/held", key, 2).send().text()).contains("urn:idempotency:key-reused")))
			.hasSize(roundTripsOfAKeyInProgress());
		assertThat(this.turnstile.letGo(held).status()).isEqualTo(200);
		assertThat(roundTripsOf(
				() -> assertThat(call("/held", key, 2).send().text()).contains("urn:idempotency:key-reused")))
			.hasSize(1);
		assertThat(errors()).isEmpty();
	}

	/**
	 * The endpoints.
	 */
	@RestController
	@Idempotent
	record Payments(Turnstile turnstile) {

		@PostMapping("/payments")
		ResponseEntity<byte[]> pay(@RequestBody String payment) {
			return ResponseEntity.ok()
				.contentType(MediaType.APPLICATION_JSON)
				.body(ANSWER.getBytes(StandardCharsets.UTF_8));
		}

		@PostMapping("/held")
		ResponseEntity<byte[]> hold(@RequestBody String payment) {
			this.turnstile.pass();
			return pay(payment);
		}

	}

}
