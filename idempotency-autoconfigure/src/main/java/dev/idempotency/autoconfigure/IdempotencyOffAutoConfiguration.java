package dev.idempotency.autoconfigure;

import dev.idempotency.Idempotency;
import dev.idempotency.call.IdempotencyTemplate;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of what an application's code refers to outside of the web, so that
 * it still starts when protection is switched off.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "idempotency.enabled", havingValue = false)
public final class IdempotencyOffAutoConfiguration {

	IdempotencyOffAutoConfiguration() {
	}

	@Bean
	@ConditionalOnMissingBean
	Idempotency idempotency() {
		return IdempotencyTemplate.disabled();
	}

}
