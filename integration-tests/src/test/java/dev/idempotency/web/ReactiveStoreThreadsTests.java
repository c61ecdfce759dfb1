package dev.idempotency.web;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.reactive.StoreThreads;
import dev.idempotency.test.FaultInjectingStore.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A store that makes WebFlux wait, and those who wait for others, hold nobody else up.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReactiveStoreThreadsTests {

	private static final int MANY = 300;

	@AutoClose
	private final TestServer server = Reactive
		.start(List.of(WebTestApplication.class, Endpoints.class, Gates.class, MovableStore.class, FewBytes.class));

	private final MovableStore store = this.server.bean(MovableStore.class);

	private final Gates gates = this.server.bean(Gates.class);

	@AfterEach
	void mend() {
		this.store.mend();
	}

	@Test
	void aStoreThatHangsHoldsUpNothingThatIsNotProtected() throws IOException {
		this.store.plan((verb) -> {
			this.gates.await("store");
			return Fault.NONE;
		});
		int before = this.server.executions().of("entity");
		List<Wire> held = Stream.generate(() -> Wire.post(this.server, "/kinds/entity", TestServer.newKey()))
			.limit(MANY)
			.toList();
		for (int i = 0; i < 20; i++) {
			long start = System.nanoTime();
			assertThat(this.server.post("/plain/body").send().status()).isEqualTo(200);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
		}
		assertThat(this.server.executions().of("entity")).isEqualTo(before);
		this.gates.open("store");
		int created = 0;
		for (Wire wire : held) {
			assertThat(wire.readHead().status()).isIn(201, 503);
			created += (wire.status() == 201) ? 1 : 0;
			wire.readToEnd();
			wire.close();
		}
		assertThat(created).isPositive();
		assertThat(this.server.executions().of("entity")).isEqualTo(before + created);
		assertThat(this.server.post("/kinds/entity").key(TestServer.newKey()).send().status()).isEqualTo(201);
	}

	@Test
	void whoHangsUpWaitsNoLonger() throws IOException {
		String key = TestServer.newKey();
		Wire first = Wire.post(this.server, "/awaited/" + key, key);
		this.gates.await(key + " runs");
		int claims = this.store.calls(StoreVerb.CLAIM);
		List<Wire> waiting = Stream.generate(() -> Wire.post(this.server, "/awaited/" + key, key)).limit(5).toList();
		await().until(() -> this.store.calls(StoreVerb.CLAIM) >= claims + 10);
		waiting.forEach(Wire::hangUp);
		await().atMost(Duration.ofSeconds(10)).until(() -> {
			int now = this.store.calls(StoreVerb.CLAIM);
			await().pollDelay(Duration.ofMillis(1100)).until(() -> true);
			return this.store.calls(StoreVerb.CLAIM) == now;
		});
		this.gates.open(key);
		assertThat(first.readHead().status()).isEqualTo(200);
		first.close();
		assertThat(this.server.post("/awaited/" + key).key(key).send().isReplay()).isTrue();
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	/**
	 * So little memory is held, however many requests come.
	 */
	@Test
	void claimsWaitUntilTheyHoldTooMuch() throws IOException {
		this.store.plan((verb) -> {
			this.gates.await("large claims");
			return Fault.NONE;
		});
		int before = this.server.executions().of("large");
		List<RawClient> clients = Stream
			.generate(() -> RawClient.post(this.server, "/large")
				.header("Idempotency-Key", TestServer.newKey())
				.chunked("text/plain", "x".repeat(900_000)))
			.limit(20)
			.toList();
		List<CompletableFuture<Integer>> statuses = clients.stream()
			.map((client) -> CompletableFuture.supplyAsync(() -> client.send().status(),
					(task) -> new Thread(task).start()))
			.toList();
		// There is room for four, or for three whose buffers have grown
		await().until(() -> statuses.stream().filter(CompletableFuture::isDone).count() >= 16);
		this.gates.open("large claims");
		long refused = statuses.stream().map(CompletableFuture::join).filter((status) -> status == 503).count();
		assertThat(refused).isBetween(16L, 19L);
		assertThat(this.server.executions().of("large")).isEqualTo(before + 20 - (int) refused);
		this.store.mend();
	}

	@Test
	void claimsAreRefusedWhileCompletionsLag() {
		this.store.plan((verb) -> {
			if (verb == StoreVerb.COMPLETE) {
				this.gates.await("large completions");
			}
			return Fault.NONE;
		});
		int before = this.server.executions().of("large");
		List<CompletableFuture<Integer>> first = Stream.generate(() -> CompletableFuture.supplyAsync(
				() -> this.server.post("/large").key(TestServer.newKey()).send().status(),
				(task) -> new Thread(task).start()))
			.limit(5)
			.toList();
		await().until(() -> this.server.executions().of("large") == before + 5);
		await().until(() -> this.server.post("/large").key(TestServer.newKey()).send().status(),
				(status) -> status == 503);
		int runs = this.server.executions().of("large");
		assertThat(this.server.post("/large").key(TestServer.newKey()).send().status()).isEqualTo(503);
		assertThat(this.server.executions().of("large")).isEqualTo(runs);
		this.gates.open("large completions");
		assertThat(first).allSatisfy((status) -> assertThat(status.join()).isEqualTo(200));
		await().until(() -> this.server.post("/large").key(TestServer.newKey()).send().status(),
				(status) -> status == 200);
	}

	@Configuration(proxyBeanMethods = false)
	static class FewBytes {

		@Bean
		StoreThreads storeThreads() {
			return new StoreThreads(16, 1000, StoreThreads.platformThreads(), true, 4_000_000);
		}

	}

	@RestController
	@Idempotent
	record Endpoints(Gates gates, Executions executions) {

		@PostMapping("/large")
		Mono<String> large() {
			return Mono.fromCallable(() -> this.executions.next("large") + "x".repeat(900_000));
		}

		@PostMapping("/awaited/{key}")
		@Idempotent(onConflict = OnConflict.WAIT, waitTimeout = "50s")
		Mono<String> awaited(@PathVariable String key) {
			return Mono.fromCallable(() -> this.executions.next(key)).delayUntil((text) -> {
				this.gates.open(key + " runs");
				return this.gates.passing(key);
			});
		}

	}

}
