package dev.idempotency.guides;

import dev.idempotency.fixtures.MapStore;
import dev.idempotency.store.MonotonicClock;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Takes the place of the stores that come with the library.
 */
@Configuration(proxyBeanMethods = false)
class MapStoreConfiguration {

	@Bean
	MapStore mapStore() {
		return new MapStore(new MonotonicClock());
	}

}
