package dev.idempotency.autoconfigure;

import dev.idempotency.openapi.IdempotencyOpenApiCustomizer;
import dev.idempotency.web.IdempotencyWeb;
import io.swagger.v3.oas.models.OpenAPI;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of what springdoc tells clients about protected handlers.
 */
@AutoConfiguration(after = IdempotencyWebMvcAutoConfiguration.class)
@ConditionalOnClass({ GlobalOpenApiCustomizer.class, OpenAPI.class })
@ConditionalOnBean(IdempotencyWeb.class)
public final class IdempotencyOpenApiAutoConfiguration {

	IdempotencyOpenApiAutoConfiguration() {
	}

	@Bean
	@ConditionalOnMissingBean
	IdempotencyOpenApiCustomizer idempotencyOpenApiCustomizer(IdempotencyWeb web) {
		return new IdempotencyOpenApiCustomizer(web);
	}

}
