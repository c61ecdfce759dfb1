package dev.idempotency.web;

import java.util.List;

import dev.idempotency.Idempotent;
import dev.idempotency.http.ScopeResolver;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Parts of the body in which a retry may differ.
 */
@TestInstance(Lifecycle.PER_CLASS)
class FingerprintExcludesTests {

	private static final String FIRST = "{\"amount\":5,\"sentAt\":\"12:00\",\"meta\":{\"try\":1,\"by\":\"a\"}}";

	private static final String RETRY = "{\"meta\":{\"by\":\"a\",\"try\":{\"no\":[2]}},\"amount\":5.0}";

	private static final String OTHER = FIRST.replace("5", "6");

	@AutoClose
	private final TestServer server = start(
			List.of(WebTestApplication.class, Endpoints.class, Routes.class, Tenant.class),
			"idempotency.operations[POST /named].fingerprint-excludes=/sentAt,/meta/try",
			"idempotency.operations[POST /indexed].fingerprint-excludes[0]=/sentAt",
			"idempotency.operations[POST /indexed].fingerprint-excludes[1]=/meta/try",
			"idempotency.operations[POST /cleared].fingerprint-excludes=");

	TestServer start(List<Class<?>> sources, String... properties) {
		return TestServer.start(sources, properties);
	}

	private Answer post(String path, @Nullable String key, String type, String body) {
		return this.server.post(path).key(key).body(type, body).send();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/annotated", "/named", "/indexed", "/excluding-route" })
	void leavesOutWhatMayDiffer(String path) {
		String key = TestServer.newKey();
		Answer first = post(path, key, "application/json", FIRST);
		assertThat(first.text()).contains("12:00");
		post(path, key, "application/json", RETRY).assertReplayOf(first);
		post(path, key, "application/vnd.api+json", FIRST).assertProblem(422, "key-reused");
		post(path, key, "application/json", OTHER).assertProblem(422, "key-reused");
		post(path, key, "application/json", FIRST.replace("\"a\"", "\"b\"")).assertProblem(422, "key-reused");
	}

	@Test
	void leavesItOutOfADerivedKey() {
		Answer first = post("/derived", null, "application/json", FIRST);
		post("/derived", null, "application/json", RETRY).assertReplayOf(first);
		assertThat(post("/derived", null, "application/json", OTHER).isReplay()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/cleared", "/all" })
	void countsAllOfItWhereNothingIsExcluded(String path) {
		String key = TestServer.newKey();
		assertThat(post(path, key, "application/json", FIRST).status()).isEqualTo(200);
		post(path, key, "application/json", RETRY).assertProblem(422, "key-reused");
	}

	@ParameterizedTest
	@ValueSource(strings = { "text/plain", "application/json" })
	void countsAllOfWhatIsNotJson(String type) {
		String key = TestServer.newKey();
		String body = FIRST + (type.equals("application/json") ? "," : "");
		assertThat(post("/annotated", key, type, body).status()).isEqualTo(200);
		post("/annotated", key, type, body.replace("12:00", "12:01")).assertProblem(422, "key-reused");
	}

	@Test
	void countsAllOfAForm() {
		String key = TestServer.newKey();
		String type = "application/x-www-form-urlencoded";
		assertThat(post("/form", key, type, "sentAt=1&amount=5").status()).isEqualTo(200);
		post("/form", key, type, "sentAt=2&amount=5").assertProblem(422, "key-reused");
	}

	@Test
	void breaksNothingWhereProtectionIsSwitchedOff() {
		try (TestServer off = start(List.of(WebTestApplication.class, Endpoints.class), "idempotency.enabled=false")) {
			assertThat(off.post("/annotated").json(FIRST).send().status()).isEqualTo(200);
			assertThat(off.post("/derived").json(FIRST).send().status()).isEqualTo(200);
		}
	}

	/**
	 * Of a key that is derived from the caller.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Tenant {

		@Bean
		ScopeResolver scopeResolver() {
			return ScopeResolver.principalAndTenant((request) -> "all");
		}

	}

	@RestController
	@Idempotent
	static class Endpoints {

		@PostMapping({ "/named", "/indexed", "/all" })
		String order(@RequestBody String body) {
			return body;
		}

		@PostMapping({ "/annotated", "/cleared" })
		@Idempotent(fingerprintExcludes = { "/sentAt", "/meta/try" })
		String annotated(@RequestBody String body) {
			return body;
		}

		@PostMapping("/form")
		@Idempotent(fingerprintExcludes = "/sentAt")
		String form() {
			return "";
		}

		@PostMapping("/derived")
		@Idempotent(key = "derived()", fingerprint = false, fingerprintExcludes = { "/sentAt", "/meta/try" })
		String derived(@RequestBody String body) {
			return body;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Routes {

		@Bean
		RouterFunction<ServerResponse> excludingRoute(IdempotencyRouteFilter idempotency) {
			return RouterFunctions.route()
				.POST("/excluding-route", (request) -> ServerResponse.ok().body(request.body(String.class)))
				.filter(idempotency.withFingerprintExcludes("/sentAt", "/meta/try"))
				.build();
		}

	}

}
