package dev.idempotency.webflux;

import dev.idempotency.DryRun;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.Idempotent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What cannot work on WebFlux stops the start.
 */
class WebFluxMistakeTests {

	@ParameterizedTest
	@ValueSource(classes = { Transactional.class, Rehearsed.class })
	void saysWhatWebFluxCannotDo(Class<?> handler) {
		assertThatExceptionOfType(IdempotencyConfigurationException.class).isThrownBy(() -> start(handler))
			.withMessageContaining(handler.getSimpleName())
			.withMessageContaining((handler == Rehearsed.class) ? "dryRun = ROLLBACK" : "transactional = true");
	}

	@Test
	void startsWithAnyOther() {
		assertThat(start(Plain.class)).isTrue();
	}

	private static boolean start(Class<?> handler) {
		try (var context = new SpringApplicationBuilder(Application.class, handler).web(WebApplicationType.REACTIVE)
			.properties("server.port=0", "idempotency.store=memory", "spring.main.banner-mode=off",
					"management.endpoints.access.default=none",
					"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,"
							+ "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration")
			.run()) {
			return context.isActive();
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	@RestController
	static class Plain {

		@PostMapping("/plain")
		@Idempotent
		Mono<String> handle() {
			return Mono.just("done");
		}

	}

	@RestController
	static class Transactional {

		@PostMapping("/transactional")
		@Idempotent(transactional = true)
		Mono<String> handle() {
			return Mono.just("done");
		}

	}

	@RestController
	static class Rehearsed {

		@PostMapping("/rehearsed")
		@Idempotent(dryRun = DryRun.ROLLBACK)
		Mono<String> handle() {
			return Mono.just("done");
		}

	}

}
