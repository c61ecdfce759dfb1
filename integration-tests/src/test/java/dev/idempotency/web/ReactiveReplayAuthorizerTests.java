package dev.idempotency.web;

import java.util.List;

import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.ReactiveUserDetailsService;
import org.springframework.security.web.server.SecurityWebFilterChain;

/**
 * Who gets a stored response on WebFlux.
 */
class ReactiveReplayAuthorizerTests extends ReplayAuthorizerTests {

	@Override
	TestServer serve(List<Class<?>> sources, String... properties) {
		return Reactive
			.start(Reactive.exchange(sources, Security.class, ReactiveSecurity.class),
					TestServer.with(properties, TestServer.WITH_SECURITY))
			.sending("Authorization", SecurityHttpTests.basic("alice"));
	}

	/**
	 * That of an exception of a filter.
	 */
	@Override
	int statusOfFailedRule() {
		return 500;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebFluxSecurity
	static class ReactiveSecurity {

		@Bean
		SecurityWebFilterChain security(ServerHttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable())
				.authorizeExchange((exchanges) -> exchanges.anyExchange().authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		ReactiveUserDetailsService users(Roles roles) {
			return (name) -> Mono.just(roles.alice());
		}

	}

}
