package dev.idempotency.actuate;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

import com.jayway.jsonpath.JsonPath;
import dev.idempotency.web.Answer;
import dev.idempotency.web.TestServer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The endpoint and the console behind Spring Security.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ActuatorSecurityTests {

	private static final String KEY = "req-001-of-a-client";

	static final List<UserDetails> USERS = List.of(
			User.withUsername("reader").password("{noop}secret").roles("READER").build(),
			User.withUsername("operator").password("{noop}secret").roles("OPERATOR").build());

	@AutoClose
	private final TestServer server = start();

	/**
	 * Starts the application with its users, in the surroundings of this test.
	 */
	TestServer start(String... properties) {
		return startOnServlets(properties);
	}

	static TestServer startOnServlets(String... properties) {
		return PaymentsApplication.start(List.of(Security.class), settings(properties));
	}

	static String[] settings(String... properties) {
		return TestServer.with(properties, TestServer.WITH_SECURITY,
				"management.endpoint.idempotency.show-values=when-authorized",
				"management.endpoint.idempotency.roles=OPERATOR");
	}

	@BeforeAll
	void pay() {
		assertThat(this.server.post("/payments").key(KEY).json("{}").send().status()).isEqualTo(201);
	}

	private Answer as(String user, String method, String path) {
		return as(this.server, user, method, path);
	}

	static Answer as(TestServer server, String user, String method, String path) {
		byte[] credentials = (user + ":secret").getBytes(StandardCharsets.UTF_8);
		return server.call(method, "/actuator" + path)
			.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials))
			.send();
	}

	private String id() {
		return JsonPath.read(as("operator", "GET", "/idempotency/records?key=" + KEY).text(), "$.records[0].id");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/idempotency", "/idempotency/records", "/idempotency/operations", "/idempotencyconsole",
			"/idempotencyconsole/console.js" })
	void showsStrangersNothing(String path) {
		Answer answer = this.server.call("GET", "/actuator" + path).send();
		assertThat(answer.status()).isEqualTo(401);
		assertThat(answer.text()).doesNotContain("payments").doesNotContain("<html");
		assertThat(as("reader", "GET", path).status()).isEqualTo(200);
	}

	@Test
	void letsReadersForgetNothing() {
		String path = "/idempotency/records/" + id();
		assertThat(this.server.call("DELETE", "/actuator" + path).send().status()).isEqualTo(401);
		assertThat(as("reader", "DELETE", path).status()).isEqualTo(403);
		assertThat(as("reader", "GET", path).status()).isEqualTo(200);
		assertThat(as("reader", "POST", path).status()).isEqualTo(403);
		assertThat(as("operator", "POST", path).status()).as("may, and must say how").isEqualTo(415);
		assertThat(as("operator", "DELETE", path).status()).isEqualTo(204);
		assertThat(this.server.post("/payments").key(KEY).json("{}").send().isReplay()).isFalse();
	}

	@Test
	void showsKeysToThoseWhoMaySeeThem() {
		String path = "/idempotency/records/" + id();
		assertThat(as("operator", "GET", path).text()).contains(KEY);
		assertThat(as("reader", "GET", path).text()).doesNotContain(KEY).contains("\"req-00\u2026\"");
	}

	@Configuration(proxyBeanMethods = false)
	static class Security {

		@Bean
		SecurityFilterChain chain(HttpSecurity http) {
			return http
				.authorizeHttpRequests((requests) -> requests
					.requestMatchers(EndpointRequest.to("idempotency").withHttpMethod(HttpMethod.DELETE),
							EndpointRequest.to("idempotency").withHttpMethod(HttpMethod.POST))
					.hasRole("OPERATOR")
					.requestMatchers(EndpointRequest.toAnyEndpoint())
					.hasAnyRole("READER", "OPERATOR")
					.anyRequest()
					.permitAll())
				.httpBasic(Customizer.withDefaults())
				.csrf((csrf) -> csrf.disable())
				.build();
		}

		@Bean
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(USERS);
		}

	}

}
