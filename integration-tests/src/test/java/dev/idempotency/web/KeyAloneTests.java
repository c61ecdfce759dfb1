package dev.idempotency.web;

import java.util.List;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyWebMvcAutoConfiguration;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Operations with {@code fingerprint = false}: the key alone tells them apart.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KeyAloneTests {

	private static final String TOO_LARGE = "{\"note\":\"%s\"}".formatted("x".repeat(2000));

	@AutoClose
	private final TestServer server = TestServer.start(List.of(WebTestApplication.class, Endpoints.class),
			"idempotency.http.max-request-body=1KB");

	@Test
	void aRetryMayAskForSomethingElse() {
		String key = TestServer.newKey();
		Answer first = this.server.post("/alone").key(key).json("{\"a\":1}").send();
		Answer other = this.server.post("/alone?more=1").key(key).body("text/plain", "a = 2").send();
		assertThat(first.status()).as("%s", first).isEqualTo(200);
		other.assertReplayOf(first);
		assertThat(this.server.post("/alone").key(key + "2").json("{\"a\":1}").send().isReplay()).isFalse();
	}

	@Test
	void aRetryOfARouteMayAskForSomethingElse() {
		String key = TestServer.newKey();
		Answer first = this.server.post("/alone-route").key(key).json("{\"a\":1}").send();
		Answer other = this.server.post("/alone-route").key(key).json("{\"a\":2}").send();
		assertThat(first.status()).as("%s", first).isEqualTo(200);
		other.assertReplayOf(first);
	}

	@Test
	void aDryRunSeesThemAsTheSame() {
		String key = TestServer.newKey();
		this.server.post("/alone").key(key).json("{\"a\":1}").send();
		Answer dryRun = this.server.post("/alone").key(key).json("{\"a\":2}").dryRun().send();
		assertThat(dryRun.effect()).as("%s", dryRun).isEqualTo("would_replay");
	}

	@Test
	void theBodyIsReadWhereTheKeyIsInIt() {
		assertThat(this.server.post("/in-body").json(TOO_LARGE).send().status()).isEqualTo(413);
	}

	@Test
	void aDerivedKeyIsMadeOfTheRequestAllTheSame() {
		String cookie = this.server.post("/begin-session").send().header("Set-Cookie");
		String session = cookie.substring(0, cookie.indexOf(';'));
		Answer first = derived(session, "{\"a\":1,\"b\":2}");
		Answer again = derived(session, "{\"b\":2,\"a\":1}");
		assertThat(first.status()).as("%s", first).isEqualTo(200);
		again.assertReplayOf(first);
		Answer other = derived(session, "{\"a\":2,\"b\":2}");
		assertThat(other.status()).isEqualTo(200);
		assertThat(other.isReplay()).isFalse();
	}

	private Answer derived(String session, String json) {
		return this.server.post("/derived-alone").header("Cookie", session).json(json).send();
	}

	@Test
	void aDerivedKeyCannotBeMadeWhereNothingIsFingerprinted() {
		new WebApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class,
							IdempotencyAutoConfiguration.class, IdempotencyWebMvcAutoConfiguration.class))
			.withUserConfiguration(Executions.class, Endpoints.class)
			.withPropertyValues("idempotency.store=memory", "idempotency.http.fingerprint=none")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(IdempotencyConfigurationException.class)
				.hasMessageContaining("derives its key from the request, but idempotency.http.fingerprint is none"));
	}

	@RestController
	record Endpoints(Executions executions) {

		@PostMapping("/alone")
		@Idempotent(fingerprint = false)
		String alone(@RequestBody String body) {
			return this.executions.next("alone") + body;
		}

		@Bean
		RouterFunction<ServerResponse> route(IdempotencyRouteFilter idempotency) {
			return RouterFunctions.route()
				.POST("/alone-route", (request) -> ServerResponse.ok().body(this.executions.next("route")))
				.filter(idempotency.withoutFingerprint())
				.build();
		}

		@PostMapping("/in-body")
		@Idempotent(key = "body('/note')", fingerprint = false)
		String inBody(@RequestBody String body) {
			return this.executions.next("in-body");
		}

		@PostMapping("/derived-alone")
		@Idempotent(key = "derived()", fingerprint = false)
		String derived(@RequestBody String body) {
			return this.executions.next("derived-alone");
		}

		@PostMapping("/begin-session")
		void session(HttpServletRequest request) {
			request.getSession();
		}

	}

}
