package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract for requests from other origins.
 */
@Tag("slow")
class CorsHttpTests extends HttpContract {

	@Override
	TestServer start(String... properties) {
		return TestServer.start(List.of(WebTestApplication.class, Cors.class), properties)
			.sending("Origin", "https://shop.example");
	}

	@Test
	void repeatsAnAnswerToAnotherOriginAsThatOriginMaySeeIt() {
		String key = TestServer.newKey();
		Answer first = server().post("/kinds/entity").key(key).send();
		Answer again = server().anonymously("/kinds/entity").header("Origin", "https://app.example").key(key).send();
		assertThat(first.header("Access-Control-Allow-Origin")).isEqualTo("https://shop.example");
		assertThat(again.header("Access-Control-Allow-Origin")).isEqualTo("https://app.example");
		assertThat(again.isReplay()).isTrue();
	}

	@Test
	void claimsNothingForAnOriginThatMayNot() {
		String key = TestServer.newKey();
		assertThat(
				server().anonymously("/kinds/body").header("Origin", "https://evil.example").key(key).send().status())
			.isEqualTo(403);
		assertThat(server().post("/kinds/body").key(key).send().isReplay()).isFalse();
	}

	@Configuration(proxyBeanMethods = false)
	static class Cors implements WebMvcConfigurer {

		@Override
		public void addCorsMappings(CorsRegistry registry) {
			registry.addMapping("/**")
				.allowedOrigins("https://shop.example", "https://app.example")
				.allowedMethods("*")
				.exposedHeaders("Idempotent-Replayed", "Idempotency-Effect");
		}

	}

}
