package dev.idempotency.test;

import java.time.Instant;

import dev.idempotency.store.IdempotencyStore;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Puts {@link TestIdempotency} around the application's store, and a clock that can be
 * moved into the one in memory. To be imported by a test.
 */
@Configuration(proxyBeanMethods = false)
public class TestIdempotencyConfiguration {

	@Bean(defaultCandidate = false)
	MovableClock idempotencyClock() {
		// The store's own, and no candidate for whoever wants to know the time
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
