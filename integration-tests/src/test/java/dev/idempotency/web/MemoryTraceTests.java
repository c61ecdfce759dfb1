package dev.idempotency.web;

import java.util.List;

import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.MemoryLimits;
import dev.idempotency.test.TraceKeepingStore;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Traces of calls that are remembered in memory.
 */
class MemoryTraceTests extends TraceContract {

	@Override
	TestServer start(Class<?> application, String... properties) {
		return TestServer.start(List.of(application, Store.class), properties);
	}

	@Configuration(proxyBeanMethods = false)
	static class Store {

		@Bean
		IdempotencyStore store() {
			return new TraceKeepingStore(
					new InMemoryIdempotencyStore(new MemoryLimits(100, 1 << 20), new MonotonicClock(), (key) -> {
					}));
		}

	}

}
