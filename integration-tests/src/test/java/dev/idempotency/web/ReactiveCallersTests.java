package dev.idempotency.web;

import java.util.List;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.SecurityWebFiltersOrder;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.web.server.SecurityWebFilterChain;

/**
 * Whose key it is on WebFlux.
 */
class ReactiveCallersTests extends CallersTests {

	@Override
	TestServer start(String... properties) {
		return TestServer.startReactive(List.of(Application.class, ReactiveSecurity.class),
				TestServer.with(properties, TestServer.WITH_SECURITY));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebFluxSecurity
	static class ReactiveSecurity {

		@Bean
		SecurityWebFilterChain security(ServerHttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable())
				.anonymous(Customizer.withDefaults())
				.authorizeExchange((exchanges) -> exchanges.anyExchange().permitAll())
				.addFilterAt((exchange, chain) -> {
					Authentication caller = CallerKind.parse(exchange.getRequest().getHeaders().getFirst("X-Caller"));
					return (caller == null) ? chain.filter(exchange) : chain.filter(exchange)
						.contextWrite(ReactiveSecurityContextHolder.withAuthentication(caller));
				}, SecurityWebFiltersOrder.AUTHENTICATION)
				.build();
		}

	}

}
