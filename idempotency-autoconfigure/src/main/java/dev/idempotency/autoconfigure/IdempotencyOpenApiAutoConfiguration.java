package dev.idempotency.autoconfigure;

import dev.idempotency.http.ProtectedHandlers;
import dev.idempotency.openapi.HiddenContextCustomizer;
import dev.idempotency.openapi.IdempotencyOpenApiCustomizer;
import io.swagger.v3.oas.models.OpenAPI;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of springdoc's documentation of protected handlers. The parameters
 * that clients do not send are hidden also when protection is switched off.
 */
@AutoConfiguration(after = { IdempotencyWebMvcAutoConfiguration.class, IdempotencyWebFluxAutoConfiguration.class })
@ConditionalOnWebApplication
@ConditionalOnClass({ GlobalOpenApiCustomizer.class, OpenAPI.class })
public final class IdempotencyOpenApiAutoConfiguration {

	@Bean
	HiddenContextCustomizer idempotencyHiddenContextCustomizer() {
		return new HiddenContextCustomizer();
	}

	@Bean
	@ConditionalOnBean(ProtectedHandlers.class)
	@ConditionalOnMissingBean
	IdempotencyOpenApiCustomizer idempotencyOpenApiCustomizer(ProtectedHandlers handlers) {
		return new IdempotencyOpenApiCustomizer(handlers);
	}

}
