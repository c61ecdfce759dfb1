package dev.idempotency.web;

import java.util.List;

/**
 * What Prometheus gets to see of an application on WebFlux.
 */
class ReactivePrometheusTests extends PrometheusTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return Reactive.startBlocking(sources, properties);
	}

}
