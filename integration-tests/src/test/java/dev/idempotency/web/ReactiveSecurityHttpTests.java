package dev.idempotency.web;

import java.util.List;

import dev.idempotency.Idempotent;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.method.configuration.EnableReactiveMethodSecurity;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The contract on WebFlux behind Spring Security, and whose key it is.
 */
class ReactiveSecurityHttpTests extends SecurityHttpTests {

	@Override
	TestServer start(String... properties) {
		return Reactive
			.start(List.of(WebTestApplication.class, ReactiveSecurity.class),
					with(properties, TestServer.WITH_SECURITY))
			.sending("Authorization", basic("alice"));
	}

	@Override
	List<String> kinds() {
		return ReactiveKinds.KINDS;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebFluxSecurity
	@EnableReactiveMethodSecurity
	@Import(ReactiveEndpoints.class)
	static class ReactiveSecurity {

		@Bean
		SecurityWebFilterChain security(ServerHttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable())
				.authorizeExchange(
						(exchanges) -> exchanges.pathMatchers("/open").permitAll().anyExchange().authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		PasswordEncoder passwordEncoder() {
			return new Security().passwordEncoder();
		}

		@Bean
		MapReactiveUserDetailsService users() {
			return new MapReactiveUserDetailsService(USERS.stream()
				.map((name) -> User.withUsername(name).password("secret").roles("USER").build())
				.toArray(UserDetails[]::new));
		}

	}

	@RestController
	@Idempotent
	static class ReactiveEndpoints {

		private final Executions executions;

		ReactiveEndpoints(Executions executions) {
			this.executions = executions;
		}

		@PostMapping("/open")
		Mono<String> open() {
			return Mono.fromCallable(() -> this.executions.next("open"));
		}

		@PostMapping("/for-alice")
		@PreAuthorize("authentication.name == 'alice'")
		Mono<String> forAlice() {
			return Mono.fromCallable(() -> this.executions.next("for-alice"));
		}

	}

}
