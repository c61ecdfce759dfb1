package dev.idempotency.web;

import java.util.List;

/**
 * What is stored is the answer of WebFlux, not the way in which it was once transferred.
 */
class ReactiveCompressionTests extends CompressionTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.start(sources, properties);
	}

}
