package dev.idempotency.web;

import java.util.List;

/**
 * Responses that tell until when they are remembered, on WebFlux.
 */
class ReactiveExpiresTests extends ExpiresTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.startBlocking(sources, properties);
	}

}
