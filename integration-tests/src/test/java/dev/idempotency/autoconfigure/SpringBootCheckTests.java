package dev.idempotency.autoconfigure;

import dev.idempotency.IdempotencyConfigurationException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What an application is told that runs on a Spring Boot which is too old.
 */
@ExtendWith(OutputCaptureExtension.class)
class SpringBootCheckTests {

	@ParameterizedTest
	@ValueSource(strings = { "3.5.7", "3.0.0-SNAPSHOT", "2.7.18" })
	void saysWhatIsNeeded(String version, CapturedOutput output) {
		SpringApplicationBuilder old = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.initializers(new SpringBootCheck(version));
		assertThatExceptionOfType(IdempotencyConfigurationException.class).isThrownBy(old::run);
		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("runs on Spring Boot " + version)
			.contains("needs Spring Boot 4.0 or later")
			.contains("Upgrade to Spring Boot 4");
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "4.0.0", "4.1.1", "5.0.0-M1", "10.0.0", "", "unknown", "20261116" })
	void letsEverythingElseStart(@Nullable String version) {
		GenericApplicationContext context = new GenericApplicationContext();
		new SpringBootCheck(version).initialize(context);
		assertThat(context.isActive()).isFalse();
	}

	@Test
	void isAskedFirstOfAll() {
		assertThat(new SpringApplication(Application.class).getInitializers()).first()
			.isInstanceOf(SpringBootCheck.class);
	}

	static class Application {

	}

}
