package dev.idempotency.web;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.OnCrash;
import dev.idempotency.core.BodyLimits;
import dev.idempotency.core.EngineSettings.Mode;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.core.KnownOperation.Coverage;
import dev.idempotency.core.KnownOperation.Kind;
import dev.idempotency.core.KnownOperation.Protection;
import dev.idempotency.core.KnownOperation;
import dev.idempotency.core.OperationCatalog;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.core.OperationsReport;
import dev.idempotency.http.ProtectedHandlers;
import dev.idempotency.http.ScopeResolver;
import dev.idempotency.method.IdempotencyMethods;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * What is known of the operations of an application, and what it says of them when it
 * starts.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
class OperationCatalogTests {

	private static final OperationPolicy DEFAULTS = OperationPolicy.of(Duration.ofHours(24), Duration.ofSeconds(30));

	private static final BodyLimits LIMITS = new BodyLimits(1 << 20, 4 << 20, false);

	@AutoClose
	private TestServer server;

	private String atStart = "";

	@BeforeAll
	void start(CapturedOutput output) {
		this.server = start(List.of(Shop.class, Handlers.class, Payments.class, Events.class),
				"logging.level.dev.idempotency.autoconfigure=debug",
				"idempotency.encryption.key=" + "A".repeat(43) + "=");
		this.atStart = output.toString();
	}

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return TestServer.start(sources, properties);
	}

	/**
	 * What is known of the handlers.
	 */
	OperationCatalog handlers(TestServer started) {
		return started.bean(ProtectedHandlers.class);
	}

	Class<?> scopeResolver() {
		return ScopeResolver.class;
	}

	@Test
	void knowsEveryUnsafeHandlerByMethodAndRoute() {
		assertThat(operations(Kind.HTTP)).extracting(KnownOperation::name, KnownOperation::coverage)
			.containsExactly(tuple("DELETE /any", Coverage.PROTECTED),
					tuple("DELETE /orders/{id:[0-9]+}", Coverage.UNPROTECTED), tuple("PATCH /any", Coverage.PROTECTED),
					tuple("POST /any", Coverage.PROTECTED), tuple("POST /log", Coverage.EXCLUDED),
					tuple("POST /mixed", Coverage.PROTECTED), tuple("POST /orders", Coverage.PROTECTED),
					tuple("POST /purchases", Coverage.PROTECTED), tuple("POST /typed", Coverage.PROTECTED),
					tuple("POST /typed", Coverage.UNPROTECTED), tuple("POST /webhook", Coverage.PROTECTED),
					tuple("PUT /any", Coverage.PROTECTED));
	}

	@Test
	void knowsThemByTheNameOfTheirKeys() {
		this.server.post("/orders").key(TestServer.newKey()).send();
		this.server.post("/purchases").key(TestServer.newKey()).send();
		this.server.call("PUT", "/any").key(TestServer.newKey()).send();
		List<String> used = this.server.bean(Events.class)
			.of(IdempotencyEvent.Decided.class)
			.stream()
			.map((event) -> event.key().scope().operation())
			.toList();
		assertThat(used).containsExactly("POST /orders", "POST /purchases", "PUT /any");
		assertThat(operations(Kind.HTTP)).extracting(KnownOperation::name).containsAll(used);
	}

	@Test
	void saysHowTheyAreProtected() {
		assertThat(find("POST /orders").protection())
			.isEqualTo(new Protection("header Idempotency-Key", true, DEFAULTS, false, LIMITS));
		assertThat(find("POST /webhook").protection()).isEqualTo(new Protection("header('webhook-id')", false,
				DEFAULTS.withTtl(Duration.ofDays(7)).withOnCrash(OnCrash.REFUSE).withPatience(Duration.ofSeconds(10)),
				false, LIMITS));
		assertThat(find("POST /log").protection()).isNull();
		assertThat(find("POST /orders").handler()).endsWith("Handlers#order[0 args]");
	}

	@Test
	void knowsAnnotatedMethodsOfBeans() {
		assertThat(operations(Kind.METHOD))
			.extracting(KnownOperation::name, KnownOperation::coverage, KnownOperation::handler,
					KnownOperation::protection)
			.containsExactly(
					tuple(Payments.class.getName() + ".charge(java.lang.String)", Coverage.PROTECTED,
							Payments.class.getName() + "#charge", new Protection("#id", true, DEFAULTS, false, null)),
					tuple(Payments.class.getName() + ".look(java.lang.String)", Coverage.EXCLUDED,
							Payments.class.getName() + "#look", null));
	}

	@Test
	void ratesTheApplicationByTheHandlersThatShouldBeProtected() {
		OperationsReport report = OperationsReport.of(catalogs().toList());
		assertThat(report.score()).isEqualTo(9.0 / 11);
		assertThat(new OperationsReport(List.of()).score()).isEqualTo(1.0);
		assertThat(new OperationsReport(report.find(Kind.HTTP, Coverage.UNPROTECTED)).score()).isZero();
	}

	@Test
	void saysAtStartUpHowMuchIsProtectedAndHow() {
		assertThat(this.atStart.lines().filter((line) -> line.contains(" INFO ") && line.contains("Idempotency: ")))
			.map((line) -> line.substring(line.indexOf("Idempotency: ")))
			.containsExactly(
					"Idempotency: store memory, namespace test, ttl 24h, lease 30s, mode enforce, on-store-failure reject, scope principal",
					"Idempotency: 9 of 12 unsafe handlers are protected, 1 excluded, 2 not; methods of beans: 1 protected, 1 excluded");
		assertThat(this.atStart).contains("Not protected: DELETE /orders/{id:[0-9]+} (").doesNotContain("AAAA");
	}

	@Test
	void saysItOnceAndOnlyToThoseWhoListen(CapturedOutput output) {
		try (TestServer quiet = start(List.of(Shop.class, Handlers.class, OwnScope.class), "idempotency.mode=observe",
				"idempotency.ttl=7d", "idempotency.lease=1500ms", "idempotency.on-store-failure=proceed",
				"idempotency.namespace=shared", "logging.level.dev.idempotency.autoconfigure=info")) {
			assertThat(quiet.bean(IdempotencyEngine.class).settings().mode()).isEqualTo(Mode.OBSERVE);
			assertThat(output.toString().substring(this.atStart.length()))
				.containsOnlyOnce("Idempotency: store memory, namespace shared, ttl 7d, "
						+ "lease 1500ms, mode observe, on-store-failure proceed, scope by the application's "
						+ scopeResolver().getSimpleName())
				.containsOnlyOnce("unsafe handlers are protected")
				.doesNotContain("methods of beans", "Not protected:");
		}
	}

	private Stream<OperationCatalog> catalogs() {
		return Stream.of(handlers(this.server), this.server.bean(IdempotencyMethods.class));
	}

	private List<KnownOperation> operations(Kind kind) {
		return catalogs().flatMap((catalog) -> catalog.operations().stream())
			.filter((operation) -> operation.kind() == kind)
			.toList();
	}

	private KnownOperation find(String name) {
		return operations(Kind.HTTP).stream().filter((it) -> it.name().equals(name)).findFirst().orElseThrow();
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Shop {

	}

	static class OwnScope {

		@Bean
		ScopeResolver scope() {
			return ScopeResolver.principalAndTenant((request) -> request.header("tenant"));
		}

	}

	@RestController
	static class Handlers {

		@PostMapping({ "/orders", "/purchases" })
		@Idempotent
		void order() {
		}

		@PostMapping("/webhook")
		@Idempotent(key = "header('webhook-id')", required = false, ttl = "7d", onCrash = OnCrash.REFUSE,
				onConflict = OnConflict.WAIT)
		void webhook() {
		}

		@RequestMapping("/any")
		@Idempotent
		void any() {
		}

		@RequestMapping(path = "/mixed", method = { RequestMethod.GET, RequestMethod.POST })
		@Idempotent
		void mixed() {
		}

		@PostMapping(path = "/typed", consumes = MediaType.APPLICATION_JSON_VALUE)
		@Idempotent
		void json() {
		}

		@PostMapping(path = "/typed", consumes = MediaType.TEXT_PLAIN_VALUE)
		void text() {
		}

		@DeleteMapping("/orders/{id:[0-9]+}")
		void cancel() {
		}

		@PostMapping("/log")
		@Idempotent(enabled = false)
		void log() {
		}

		@GetMapping("/orders")
		void read() {
		}

	}

	@Service
	static class Payments {

		@Idempotent(key = "#id")
		public String charge(String id) {
			return id;
		}

		@Idempotent(key = "#id", enabled = false)
		public String look(String id) {
			return id;
		}

	}

}
