package dev.idempotency.web;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

import dev.idempotency.Idempotent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.header.HeaderWriterFilter;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract behind Spring Security, and whose key it is.
 */
class SecurityHttpTests extends HttpContract {

	static final List<String> USERS = List.of("alice", "bob", "anonymousUser", "null", "none");

	@Override
	TestServer start(String... properties) {
		return TestServer
			.start(List.of(WebTestApplication.class, Security.class), with(properties, TestServer.WITH_SECURITY))
			.sending("Authorization", basic("alice"));
	}

	static String basic(String user) {
		byte[] credentials = (user + ":secret").getBytes(StandardCharsets.UTF_8);
		return "Basic " + Base64.getEncoder().encodeToString(credentials);
	}

	private TestServer.Call as(String user, String path) {
		return server().anonymously(path).header("Authorization", basic(user));
	}

	@Test
	void keepsTheAnswersOfUsersApart() {
		String key = TestServer.newKey();
		Answer alice = as("alice", "/kinds/body").key(key).send();
		Answer bob = as("bob", "/kinds/body").key(key).send();
		assertThat(alice.status()).isEqualTo(200);
		assertThat(bob.isReplay()).isFalse();
		assertThat(bob.body()).isNotEqualTo(alice.body());
		assertThat(as("alice", "/kinds/body").key(key).send().body()).isEqualTo(alice.body());
		assertThat(as("bob", "/kinds/body").key(key).send().body()).isEqualTo(bob.body());
	}

	@Test
	void keepsStrangersApartFromUsersOfWhateverName() {
		String key = TestServer.newKey();
		Answer stranger = server().anonymously("/open").key(key).send();
		assertThat(stranger.status()).isEqualTo(200);
		for (String name : List.of("anonymousUser", "null", "none")) {
			Answer user = as(name, "/open").key(key).send();
			assertThat(user.status()).as("%s", user).isEqualTo(200);
			assertThat(user.isReplay()).isFalse();
		}
		assertThat(server().anonymously("/open").key(key).send().body()).isEqualTo(stranger.body());
	}

	@Test
	void claimsNothingForThoseWhoMayNot() {
		String key = TestServer.newKey();
		assertThat(server().anonymously("/kinds/body").key(key).send().status()).isEqualTo(401);
		assertThat(as("bob", "/for-alice").key(key).send().status()).isEqualTo(403);
		assertThat(as("alice", "/for-alice").key(key).send().status()).isEqualTo(200);
		// Once he may, the same request of his runs
		assertThat(as("bob", "/for-alice").key(key).send().isReplay()).isFalse();
		assertThat(server().executions().of("for-alice")).isEqualTo(1);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableMethodSecurity
	@Import(Endpoints.class)
	static class Security {

		/**
		 * Spring Security writes its headers when the answer is committed, and when the
		 * request's thread leaves: twice, if a stream begins on another thread at that
		 * very moment.
		 */
		@Bean
		@Order(1)
		SecurityFilterChain securityOfStreams(HttpSecurity http) {
			SecurityFilterChain chain = security(http.securityMatcher("/*/streaming", "/*/emitter", "/*/sse"));
			chain.getFilters().forEach((filter) -> {
				if (filter instanceof HeaderWriterFilter headers) {
					headers.setShouldWriteHeadersEagerly(true);
				}
			});
			return chain;
		}

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable())
				.authorizeHttpRequests((requests) -> requests.requestMatchers("/open", "/error")
					.permitAll()
					.anyRequest()
					.authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		/**
		 * Quick, for every request is authenticated anew.
		 */
		@Bean
		PasswordEncoder passwordEncoder() {
			return new PasswordEncoder() {

				@Override
				public @Nullable String encode(@Nullable CharSequence password) {
					return (password != null) ? password.toString() : null;
				}

				@Override
				public boolean matches(@Nullable CharSequence password, @Nullable String encoded) {
					return password != null && password.toString().equals(encoded);
				}

			};
		}

		@Bean
		UserDetailsService users() {
			InMemoryUserDetailsManager users = new InMemoryUserDetailsManager();
			for (String name : USERS) {
				users.createUser(User.withUsername(name).password("secret").roles("USER").build());
			}
			return users;
		}

	}

	@RestController
	@Idempotent
	static class Endpoints {

		private final Executions executions;

		Endpoints(Executions executions) {
			this.executions = executions;
		}

		@PostMapping("/open")
		String open() {
			return this.executions.next("open");
		}

		@PostMapping("/for-alice")
		@PreAuthorize("authentication.name == 'alice'")
		String forAlice() {
			return this.executions.next("for-alice");
		}

	}

}
