package dev.idempotency.autoconfigure;

import dev.idempotency.openapi.IdempotencyOpenApiCustomizer;
import dev.idempotency.web.IdempotencyWeb;
import io.swagger.v3.oas.models.OpenAPI;
import org.junit.jupiter.api.Test;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

class IdempotencyOpenApiAutoConfigurationTests {

	private static final AutoConfigurations OURS = AutoConfigurations.of(IdempotencyAutoConfiguration.class,
			IdempotencyTransactionAutoConfiguration.class, IdempotencyWebMvcAutoConfiguration.class,
			IdempotencySwitchAutoConfiguration.class, IdempotencyOpenApiAutoConfiguration.class);

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withPropertyValues("idempotency.store=memory")
		.withConfiguration(
				AutoConfigurations.of(DispatcherServletAutoConfiguration.class, WebMvcAutoConfiguration.class))
		.withConfiguration(OURS);

	@Test
	void documentsHandlersWithSpringdoc() {
		this.runner
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(IdempotencyOpenApiCustomizer.class));
	}

	@Test
	void staysAwayWithoutSpringdoc() {
		this.runner.withClassLoader(new FilteredClassLoader(GlobalOpenApiCustomizer.class, OpenAPI.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(IdempotencyWeb.class)
				.doesNotHaveBean("idempotencyOpenApiCustomizer"));
	}

	@Test
	void staysAwayWithoutTheWebAndWhenDisabled() {
		this.runner.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyOpenApiCustomizer.class));
		new ApplicationContextRunner().withPropertyValues("idempotency.store=memory")
			.withConfiguration(OURS)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyOpenApiCustomizer.class));
	}

	@Test
	void backsOffForTheApplicationsOwn() {
		this.runner.withUserConfiguration(Own.class)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(IdempotencyOpenApiCustomizer.class)
				.hasBean("own"));
	}

	@Configuration(proxyBeanMethods = false)
	static class Own {

		@Bean
		IdempotencyOpenApiCustomizer own(IdempotencyWeb web) {
			return new IdempotencyOpenApiCustomizer(web.handlers());
		}

	}

}
