package dev.idempotency.actuate;

import java.util.List;

import dev.idempotency.web.TestServer;

import org.springframework.boot.security.autoconfigure.actuate.web.reactive.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.web.server.SecurityWebFilterChain;

/**
 * The endpoint and the console of an application on WebFlux behind Spring Security.
 */
class ReactiveActuatorSecurityTests extends ActuatorSecurityTests {

	@Override
	TestServer start(String... properties) {
		return PaymentsApplication.startReactive(List.of(ReactiveSecurity.class), settings(properties));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebFluxSecurity
	static class ReactiveSecurity {

		@Bean
		SecurityWebFilterChain chain(ServerHttpSecurity http) {
			return http
				.authorizeExchange((exchanges) -> exchanges
					.matchers(EndpointRequest.to("idempotency").withHttpMethod(HttpMethod.DELETE),
							EndpointRequest.to("idempotency").withHttpMethod(HttpMethod.POST))
					.hasRole("OPERATOR")
					.matchers(EndpointRequest.toAnyEndpoint())
					.hasAnyRole("READER", "OPERATOR")
					.anyExchange()
					.permitAll())
				.httpBasic(Customizer.withDefaults())
				.csrf((csrf) -> csrf.disable())
				.build();
		}

		@Bean
		MapReactiveUserDetailsService users() {
			return new MapReactiveUserDetailsService(USERS);
		}

	}

}
