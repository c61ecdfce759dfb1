package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.Tag;

import org.springframework.context.annotation.Configuration;
import org.springframework.web.reactive.config.CorsRegistry;
import org.springframework.web.reactive.config.WebFluxConfigurer;

/**
 * The contract on WebFlux for requests from other origins.
 */
@Tag("slow")
class ReactiveCorsHttpTests extends CorsHttpTests {

	@Override
	TestServer start(String... properties) {
		return Reactive.start(List.of(WebTestApplication.class, ReactiveCors.class), properties)
			.sending("Origin", "https://shop.example");
	}

	@Configuration(proxyBeanMethods = false)
	static class ReactiveCors implements WebFluxConfigurer {

		@Override
		public void addCorsMappings(CorsRegistry registry) {
			registry.addMapping("/**")
				.allowedOrigins("https://shop.example", "https://app.example")
				.allowedMethods("*")
				.exposedHeaders("Idempotent-Replayed", "Idempotency-Effect");
		}

	}

	@Override
	List<String> kinds() {
		return ReactiveKinds.KINDS;
	}

}
