package dev.idempotency.autoconfigure;

import dev.idempotency.web.IdempotencyFilter;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.webmvc.test.autoconfigure.MockMvcBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.test.web.servlet.MvcResult;

/**
 * Auto-configuration for MockMvc, which has no container that renders errors or reports
 * the end of a request.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
public final class IdempotencyMockMvcAutoConfiguration {

	@Bean
	MockMvcBuilderCustomizer idempotencyMockMvcBuilderCustomizer() {
		return (builder) -> builder.alwaysDo(IdempotencyMockMvcAutoConfiguration::endRequest);
	}

	private static void endRequest(MvcResult result) {
		if (!result.getRequest().isAsyncStarted()) {
			IdempotencyFilter.requestIsOver(result.getRequest());
		}
	}

}
