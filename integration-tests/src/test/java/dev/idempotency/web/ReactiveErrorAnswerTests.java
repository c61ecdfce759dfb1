package dev.idempotency.web;

import java.util.List;

/**
 * What a client of WebFlux is told when its request does not run.
 */
class ReactiveErrorAnswerTests extends ErrorAnswerTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.startBlocking(sources, properties);
	}

}
