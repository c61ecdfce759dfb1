package dev.idempotency.web;

import java.util.List;

/**
 * Keys that tell their age, on WebFlux.
 */
class ReactiveKeyAgeTests extends KeyAgeTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.startBlocking(sources, properties);
	}

}
