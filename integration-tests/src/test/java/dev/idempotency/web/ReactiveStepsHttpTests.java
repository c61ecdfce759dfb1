package dev.idempotency.web;

import java.util.List;

/**
 * Steps inside of handlers of WebFlux that return plain values.
 */
class ReactiveStepsHttpTests extends StepsHttpTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.startBlocking(sources, properties);
	}

}
