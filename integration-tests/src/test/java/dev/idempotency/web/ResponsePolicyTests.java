package dev.idempotency.web;

import java.util.List;
import java.util.function.Supplier;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.http.ResponsePolicy;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One policy, on Spring MVC and on WebFlux, which asks for the form that was sent.
 */
class ResponsePolicyTests {

	@Test
	void knowsTheRequestOnSpringMvc() {
		decidesByTheForm(() -> TestServer.start(List.of(WebTestApplication.class, Endpoints.class, Policy.class)));
	}

	@Test
	void knowsTheRequestOnWebFlux() {
		decidesByTheForm(
				() -> TestServer.startReactive(List.of(ReactiveTestApplication.class, Endpoints.class, Policy.class)));
	}

	private static void decidesByTheForm(Supplier<TestServer> start) {
		try (TestServer server = start.get()) {
			assertThat(runs(server, "store=always")).isEqualTo(1);
			assertThat(runs(server, "store=never")).isEqualTo(2);
		}
	}

	private static int runs(TestServer server, String form) {
		String key = TestServer.newKey();
		for (int i = 0; i < 2; i++) {
			assertThat(server.post("/counted").key(key).body("application/x-www-form-urlencoded", form).send().status())
				.isEqualTo(200);
		}
		return server.executions().of(key);
	}

	@Configuration(proxyBeanMethods = false)
	static class Policy {

		@Bean
		ResponsePolicy responsePolicy() {
			return (request, status) -> !request.parameters("store").contains("never");
		}

	}

	@RestController
	record Endpoints(Executions executions) {

		@PostMapping("/counted")
		@Idempotent
		String counted(IdempotencyContext context) {
			return this.executions.next(context.key().value());
		}

	}

}
