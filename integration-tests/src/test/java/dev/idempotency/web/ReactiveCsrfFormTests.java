package dev.idempotency.web;

import java.util.List;

import reactor.core.publisher.Mono;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.csrf.CsrfToken;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;

/**
 * A form on WebFlux that is rendered again.
 */
class ReactiveCsrfFormTests extends CsrfFormTests {

	@Override
	TestServer start() {
		return TestServer.startReactive(List.of(Application.class, ReactiveSecurity.class), TestServer.WITH_SECURITY);
	}

	/**
	 * Spring Security does not look into uploads on WebFlux by default.
	 */
	@Override
	TestServer.Call submit(Kind kind, String path, String token, String amount) {
		TestServer.Call call = super.submit(kind, path, token, amount);
		return (kind == Kind.MULTIPART) ? call.header("X-CSRF-TOKEN", token) : call;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableWebFluxSecurity
	static class ReactiveSecurity {

		@Bean
		SecurityWebFilterChain security(ServerHttpSecurity http) {
			return http.authorizeExchange((exchanges) -> exchanges.anyExchange().permitAll()).build();
		}

		@Bean
		ReactiveForm form() {
			return new ReactiveForm();
		}

	}

	@RestController
	static class ReactiveForm {

		@GetMapping("/form")
		Mono<String> form(ServerWebExchange exchange) {
			Mono<CsrfToken> token = exchange.getRequiredAttribute(CsrfToken.class.getName());
			return token.map(CsrfToken::getToken);
		}

	}

}
