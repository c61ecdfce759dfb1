package dev.idempotency.web;

import java.util.List;

/**
 * Dry runs on WebFlux.
 */
class ReactiveDryRunTests extends DryRunContract {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.startBlocking(sources, properties);
	}

}
