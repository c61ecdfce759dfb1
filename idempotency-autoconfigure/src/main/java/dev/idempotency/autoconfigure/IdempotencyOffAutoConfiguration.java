package dev.idempotency.autoconfigure;

import dev.idempotency.Idempotency;
import dev.idempotency.call.IdempotencyTemplate;
import dev.idempotency.method.IdempotencyMethods;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.Advisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;

/**
 * Auto-configuration of the beans that an application's code depends on outside of the
 * web, so that it still starts and runs when protection is switched off.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "idempotency.enabled", havingValue = false)
@Import(IdempotencyMethodAutoConfiguration.ProxyCreator.class)
public final class IdempotencyOffAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	Idempotency idempotency() {
		return IdempotencyTemplate.disabled();
	}

	@Bean
	@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
	static Advisor idempotencyMethodAdvisor() {
		return IdempotencyMethods.disabledAdvisor();
	}

	@Bean
	OffReport idempotencyOffReport(ApplicationContext context) {
		return new OffReport(context);
	}

	/**
	 * Warns once, when the application is ready, that protection is switched off, so that
	 * the setting is not forgotten.
	 */
	private static final class OffReport implements ApplicationListener<ApplicationReadyEvent> {

		private static final Logger logger = LoggerFactory.getLogger(IdempotencyOffAutoConfiguration.class);

		private final ApplicationContext context;

		private OffReport(ApplicationContext context) {
			this.context = context;
		}

		@Override
		public void onApplicationEvent(ApplicationReadyEvent event) {
			// A child of this context is ready too
			if (event.getApplicationContext() == this.context) {
				logger.warn(
						"Nothing is protected, since idempotency.enabled is false: every request, method, step and tool "
								+ "runs each time, and dry runs are refused");
			}
		}

	}

}
