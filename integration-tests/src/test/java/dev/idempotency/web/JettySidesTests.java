package dev.idempotency.web;

import java.util.List;

/**
 * Odd handlers on Jetty.
 */
class JettySidesTests extends SidesTests {

	@Override
	TestServer start(List<Class<?>> sources) {
		return JettyContainer.start(sources);
	}

}
