package dev.idempotency.web;

import java.util.List;

/**
 * Problems of WebFlux in the format that a client asks for.
 */
class ReactiveProblemFormatTests extends ProblemFormatTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.start(sources, properties);
	}

}
