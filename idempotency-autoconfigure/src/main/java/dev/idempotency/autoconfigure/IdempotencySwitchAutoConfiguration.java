package dev.idempotency.autoconfigure;

import java.time.Duration;

import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.call.IdempotencyTemplate;
import dev.idempotency.core.NamedOperations;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.method.IdempotencyMethods;
import dev.idempotency.store.ClaimTerms;
import org.slf4j.LoggerFactory;

import org.springframework.aop.Advisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of {@code idempotency.enabled}. A value that is neither true nor
 * false would otherwise switch everything off without a message.
 */
@AutoConfiguration
public final class IdempotencySwitchAutoConfiguration {

	IdempotencySwitchAutoConfiguration(Environment environment) {
		String enabled = environment.getProperty("idempotency.enabled", "true");
		if (!enabled.equalsIgnoreCase("true") && !enabled.equalsIgnoreCase("false")) {
			throw new IdempotencyConfigurationException(
					"idempotency.enabled is \"%s\", which is neither true nor false".formatted(enabled),
					"Write true, or false to switch all protection off.");
		}
	}

	/**
	 * The beans in the place of an engine, so that an application still starts and runs
	 * when protection is switched off.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "idempotency.enabled", havingValue = false)
	@Import(IdempotencyMethodAutoConfiguration.ProxyCreator.class)
	static class Off {

		private final ApplicationContext context;

		Off(ApplicationContext context) {
			this.context = context;
		}

		@Bean
		@ConditionalOnMissingBean
		Idempotency idempotency() {
			return IdempotencyTemplate.disabled();
		}

		@Bean
		AnnotationPolicies idempotencyAnnotationPolicies(Environment environment) {
			// Nothing is claimed, so the policy must only be valid, whatever lease or ttl
			// an annotation has
			return new AnnotationPolicies(OperationPolicy.of(ClaimTerms.MAX_DURATION, Duration.ofMillis(1)),
					Duration.ZERO, environment::resolveRequiredPlaceholders, NamedOperations.none());
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor idempotencyMethodAdvisor() {
			return IdempotencyMethods.disabledAdvisor();
		}

		/**
		 * Warns once, so that the setting is not forgotten.
		 */
		@EventListener
		void warn(ApplicationReadyEvent event) {
			// A child of this context is ready too
			if (event.getApplicationContext() == this.context) {
				LoggerFactory.getLogger(IdempotencySwitchAutoConfiguration.class)
					.warn("Nothing is protected, since idempotency.enabled is false: every request, method, step and "
							+ "tool runs each time, and dry runs are refused");
			}
		}

	}

}
