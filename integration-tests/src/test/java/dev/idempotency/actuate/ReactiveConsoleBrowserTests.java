package dev.idempotency.actuate;

import java.util.List;

import dev.idempotency.web.TestServer;

/**
 * The console of an application on WebFlux.
 */
class ReactiveConsoleBrowserTests extends ConsoleBrowserTests {

	@Override
	TestServer start(List<Class<?>> added, String... properties) {
		return PaymentsApplication.startReactive(added, properties);
	}

}
