package dev.idempotency.guides;

import java.util.List;

import dev.idempotency.Idempotent;
import dev.idempotency.web.Answer;
import dev.idempotency.web.TestServer;
import jakarta.servlet.Filter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code of {@code docs/security.md} at work.
 */
@Tag("once")
class SecurityGuideTests {

	@Test
	void keepsTenantsApart() {
		try (TestServer server = TestServer.start(List.of(Application.class))) {
			assertThat(pay(server, "a").isReplay()).isFalse();
			assertThat(pay(server, "b").isReplay()).isFalse();
			assertThat(pay(server, "a").isReplay()).isTrue();
		}
	}

	private static Answer pay(TestServer server, String tenant) {
		return server.post("/payments?tenant=" + tenant).key("k").json("{}").send();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ TenantScope.class, Handler.class })
	static class Application {

		/**
		 * Stands for one that verifies a token.
		 */
		@Bean
		@Order(0)
		Filter tenantFilter() {
			return (request, response, chain) -> {
				request.setAttribute("tenant", request.getParameter("tenant"));
				chain.doFilter(request, response);
			};
		}

	}

	@RestController
	static class Handler {

		@PostMapping("/payments")
		@Idempotent(fingerprint = false)
		String pay() {
			return "paid";
		}

	}

}
