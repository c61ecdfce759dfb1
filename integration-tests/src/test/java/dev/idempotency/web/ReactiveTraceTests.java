package dev.idempotency.web;

import java.util.List;

/**
 * Traces of calls to an application on WebFlux.
 */
class ReactiveTraceTests extends TraceContract {

	@Override
	TestServer start(Class<?> application, String... properties) {
		// Otherwise, blocking handlers on WebFlux know of no trace, protected or not
		return Reactive.startBlocking(List.of(application),
				TestServer.with(properties, Bystanders.ALL, "spring.reactor.context-propagation=auto"));
	}

}
