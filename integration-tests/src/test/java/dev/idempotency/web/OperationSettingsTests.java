package dev.idempotency.web;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.core.BodyLimits;
import dev.idempotency.core.KnownOperation;
import dev.idempotency.core.KnownOperation.Protection;
import dev.idempotency.core.OperationCatalog;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.http.ProtectedHandlers;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Operations whose settings differ from those for all, by their names or their
 * annotations.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OperationSettingsTests {

	static final String LARGE = "{\"note\":\"%s\"}".formatted("x".repeat(5000));

	@AutoClose
	private TestServer server;

	@BeforeAll
	void start(@TempDir Path folder) throws IOException {
		Path settings = Files.writeString(folder.resolve("operations.yml"), """
				idempotency:
				  ttl: 1h
				  http: { max-request-body: 1KB, max-response-body: 1KB }
				  operations:
				    "[POST /named]": { max-request-body: 10KB, maxResponseBody: 10KB, max-replays: 1, ttl: 3h }
				    "[POST /held]": { lease: 2m, wait-timeout: 0s }
				    "[POST /patient]":
				      wait-timeout: 50s
				    "[POST /items/{id:[0-9]+}/a.b]": { max-request-body: 10KB }
				    "[POST /routes/named]": { max-request-body: 10KB }
				    "[POST /both]": { max-request-body: 10KB, ttl: 4h }
				orders: { size: 10KB, replays: 1, lease: 2m }
				""");
		this.server = start(List.of(Shop.class, Routes.class, MovableStore.class),
				"spring.config.additional-location=" + settings.toUri());
	}

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return TestServer.start(sources, properties);
	}

	/**
	 * What is known of the operations.
	 */
	OperationCatalog catalog(TestServer started) {
		return started.bean(ProtectedHandlers.class);
	}

	Answer post(String path, String key, String body) {
		return this.server.post(path).key(key).json(body).send();
	}

	@Test
	void aBodyMayBeLarger() {
		assertThat(post("/named", TestServer.newKey(), LARGE).status()).isEqualTo(200);
		assertThat(post("/other", TestServer.newKey(), LARGE).status()).isEqualTo(413);
	}

	@Test
	void aRouteWithVariablesAndDotsIsKnownByItsPattern() {
		assertThat(post("/items/1/a.b", TestServer.newKey(), LARGE).status()).isEqualTo(200);
	}

	@Test
	void aFunctionalRouteIsKnownByItsPattern() {
		assertThat(post("/routes/named", TestServer.newKey(), LARGE).status()).isEqualTo(200);
		assertThat(post("/routes/other", TestServer.newKey(), LARGE).status()).isEqualTo(413);
	}

	@Test
	void anAnswerMayBeLarger() {
		String key = TestServer.newKey();
		post("/named", key, "{}");
		assertThat(post("/named", key, "{}").isReplay()).isTrue();
		post("/other", key, "{}");
		assertThat(post("/other", key, "{}").text()).contains("not-replayable");
	}

	@Test
	void anAnswerIsGivenOutLessOften() {
		String key = TestServer.newKey();
		post("/named", key, "{}");
		assertThat(post("/named", key, "{}").status()).isEqualTo(200);
		assertThat(post("/named", key, "{}").status()).isEqualTo(429);
	}

	@Test
	void anAnswerIsRememberedForLonger() {
		String key = TestServer.newKey();
		post("/named", key, "{}");
		post("/short", key, "{}");
		this.server.bean(MovableStore.class).pass(Duration.ofHours(2));
		assertThat(post("/named", key, "{}").isReplay()).isTrue();
		assertThat(post("/short", key, "{}").isReplay()).isFalse();
	}

	@Test
	void aClaimHoldsForLongerAndATwinIsNotWaitedFor() {
		Turnstile turnstile = this.server.bean(Turnstile.class);
		String key = TestServer.newKey();
		CompletableFuture<Answer> held = turnstile.hold(this.server.post("/held").key(key));
		this.server.bean(MovableStore.class).passWithoutRenewal(Duration.ofSeconds(100));
		assertThat(this.server.post("/held").key(key).send().text()).contains("in-progress");
		assertThat(turnstile.letGo(held).status()).isEqualTo(200);
	}

	@Test
	void aTwinIsWaitedForThatWouldBeTurnedAway() {
		Turnstile turnstile = this.server.bean(Turnstile.class);
		String key = TestServer.newKey();
		CompletableFuture<Answer> held = turnstile.hold(this.server.post("/patient").key(key));
		MovableStore store = this.server.bean(MovableStore.class);
		int claims = store.calls(StoreVerb.CLAIM);
		CompletableFuture<Answer> twin = Background.start(() -> this.server.post("/patient").key(key).send());
		Awaitility.await().until(() -> store.calls(StoreVerb.CLAIM) > claims);
		assertThat(turnstile.letGo(held).status()).isEqualTo(200);
		assertThat(twin.join().isReplay()).isTrue();
	}

	@Test
	void annotationsSayTheSame() {
		String key = TestServer.newKey();
		assertThat(post("/annotated", key, LARGE).status()).isEqualTo(200);
		assertThat(post("/annotated", key, LARGE).isReplay()).isTrue();
		assertThat(post("/annotated", key, LARGE).status()).isEqualTo(429);
		assertThat(protection("POST /annotated")).satisfies((protection) -> {
			assertThat(protection.policy()).isEqualTo(OperationPolicy.of(Duration.ofHours(3), Duration.ofMinutes(2))
				.withPatience(Duration.ofSeconds(5))
				.withMaxReplays(1));
			assertThat(protection.limits()).isEqualTo(new BodyLimits(10240, 10240, false));
		});
	}

	@Test
	void whatIsSaidByNameWinsOverAnnotations() {
		assertThat(post("/both", TestServer.newKey(), LARGE).status()).isEqualTo(200);
		assertThat(protection("POST /both")).satisfies((protection) -> {
			assertThat(protection.policy().ttl()).isEqualTo(Duration.ofHours(4));
			assertThat(protection.policy().lease()).isEqualTo(Duration.ofMinutes(1));
			assertThat(protection.limits()).isEqualTo(new BodyLimits(10240, 1024, false));
		});
	}

	private Protection protection(String name) {
		return catalog(this.server).operations()
			.stream()
			.filter((operation) -> operation.name().equals(name))
			.map(KnownOperation::protection)
			.findFirst()
			.orElseThrow();
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Turnstile.class, Handlers.class })
	static class Shop {

	}

	@Configuration(proxyBeanMethods = false)
	static class Routes {

		@Bean
		RouterFunction<ServerResponse> routes(IdempotencyRouteFilter idempotency) {
			return RouterFunctions.route()
				.path("/routes",
						(routes) -> routes.POST("/named", (request) -> ServerResponse.ok().build())
							.POST("/other", (request) -> ServerResponse.ok().build()))
				.filter(idempotency)
				.build();
		}

	}

	@RestController
	record Handlers(Turnstile turnstile) {

		@PostMapping({ "/named", "/other" })
		@Idempotent
		String large(@RequestBody String body) {
			return LARGE;
		}

		@PostMapping("/annotated")
		@Idempotent(ttl = "3h", lease = "${orders.lease}", waitTimeout = "5s", maxReplays = "${orders.replays}",
				maxRequestBody = "${orders.size}", maxResponseBody = "10KB")
		String annotated(@RequestBody String body) {
			return LARGE;
		}

		@PostMapping("/both")
		@Idempotent(ttl = "3h", lease = "1m", maxRequestBody = "2KB")
		String both(@RequestBody String body) {
			return "both";
		}

		@PostMapping("/short")
		@Idempotent
		String small() {
			return "small";
		}

		@PostMapping("/items/{id:[0-9]+}/a.b")
		@Idempotent
		String item(@PathVariable String id, @RequestBody String body) {
			return id;
		}

		@PostMapping("/held")
		@Idempotent(onConflict = OnConflict.WAIT)
		String held() {
			this.turnstile.pass();
			return "held";
		}

		@PostMapping("/patient")
		@Idempotent
		String patient() {
			this.turnstile.pass();
			return "patient";
		}

	}

}
