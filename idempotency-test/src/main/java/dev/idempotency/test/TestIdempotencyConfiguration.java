package dev.idempotency.test;

import java.time.Instant;

import dev.idempotency.store.IdempotencyStore;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Configuration for tests that wraps the application's store for {@link TestIdempotency},
 * and gives the store in memory a clock that can be moved.
 */
@Configuration(proxyBeanMethods = false)
public class TestIdempotencyConfiguration {

	@Bean(defaultCandidate = false)
	MovableClock idempotencyClock() {
		// Only for the store, and not for injection of a Clock elsewhere
		return new MovableClock(Instant.now());
	}

	@Bean
	TestIdempotency testIdempotency(@Qualifier("idempotencyClock") MovableClock clock) {
		return new TestIdempotency(clock);
	}

	@Bean
	static BeanPostProcessor testIdempotencyPostProcessor(ObjectProvider<TestIdempotency> idempotency) {
		return new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String beanName) {
				return (bean instanceof IdempotencyStore store) ? idempotency.getObject().around(store) : bean;
			}

		};
	}

}
