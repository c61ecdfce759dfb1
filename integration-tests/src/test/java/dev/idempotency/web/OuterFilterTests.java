package dev.idempotency.web;

import java.util.List;

import dev.idempotency.Idempotent;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A filter before the library's calls its chain again when it has failed.
 */
class OuterFilterTests {

	@ParameterizedTest
	@ValueSource(strings = { "idempotency.enabled=false", "idempotency.mode=observe" })
	void runsTheHandlerAgainWhereNothingIsEnforced(String property) {
		try (TestServer server = start(property)) {
			String key = TestServer.newKey();
			Answer first = server.post("/fails-first").key(key).send();
			assertThat(first.status()).as("%s", first).isEqualTo(200);
			assertThat(server.executions().of("fails-first")).isEqualTo(2);
			Answer second = server.post("/fails-first").key(key).send();
			assertThat(second.status()).as("%s", second).isEqualTo(200);
			assertThat(server.executions().of("fails-first")).isEqualTo(3);
		}
	}

	@Test
	void runsNothingWithoutAClaim() {
		try (TestServer server = start("idempotency.mode=enforce")) {
			String key = TestServer.newKey();
			assertThat(server.post("/fails-first").key(key).send().status()).isEqualTo(500);
			assertThat(server.executions().of("fails-first")).isEqualTo(1);
			assertThat(server.post("/fails-first").key(key).send().status()).isEqualTo(200);
			assertThat(server.post("/fails-first").key(key).send().isReplay()).isTrue();
			assertThat(server.executions().of("fails-first")).isEqualTo(2);
		}
	}

	private static TestServer start(String property) {
		return TestServer.start(List.of(WebTestApplication.class, Failing.class, TryingAgain.class), property);
	}

	@RestController
	record Failing(Executions executions) {

		@PostMapping("/fails-first")
		@Idempotent
		String failFirst() {
			String text = this.executions.next("fails-first");
			if (this.executions.of("fails-first") == 1) {
				throw new IllegalStateException("as planned");
			}
			return text;
		}

	}

	static class TryingAgain {

		@Bean
		FilterRegistrationBean<Filter> tryingAgain() {
			FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>((request, response, chain) -> {
				try {
					chain.doFilter(request, response);
				}
				catch (ServletException ex) {
					chain.doFilter(request, response);
				}
			});
			registration.setOrder(IdempotencyFilter.DEFAULT_ORDER - 1);
			return registration;
		}

	}

}
