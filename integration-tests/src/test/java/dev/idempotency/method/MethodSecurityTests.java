package dev.idempotency.method;

import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyMethodAutoConfiguration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Method security on a protected method of a bean decides about replays, too.
 */
class MethodSecurityTests {

	@AfterEach
	void logOut() {
		SecurityContextHolder.clearContext();
	}

	@Test
	void asksMethodSecurityBeforeEachReplay() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(IdempotencyAutoConfiguration.class, IdempotencyMethodAutoConfiguration.class))
			.withPropertyValues("idempotency.store=memory", "spring.application.name=test")
			.withUserConfiguration(Security.class)
			.run((context) -> {
				Payouts payouts = context.getBean(Payouts.class);
				logIn("ann", "ROLE_TELLER");
				assertThat(payouts.pay("1", "ann")).isEqualTo(1);
				assertThat(payouts.pay("1", "ann")).isEqualTo(1);
				logIn("ann");
				assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(() -> payouts.pay("1", "ann"));
				logIn("bob", "ROLE_TELLER");
				assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(() -> payouts.pay("1", "ann"));
			});
	}

	private static void logIn(String name, String... authorities) {
		SecurityContextHolder.getContext()
			.setAuthentication(new TestingAuthenticationToken(name, "secret", authorities));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableMethodSecurity
	@Import(Payouts.class)
	static class Security {

	}

	static class Payouts {

		private int paid;

		@Idempotent(key = "#key")
		@PreAuthorize("hasRole('TELLER') and #owner == authentication.name")
		int pay(String key, String owner) {
			return ++this.paid;
		}

	}

}
