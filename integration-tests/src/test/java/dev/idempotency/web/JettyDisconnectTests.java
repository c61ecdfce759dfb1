package dev.idempotency.web;

import java.util.List;

/**
 * Clients that hang up on Jetty.
 */
class JettyDisconnectTests extends HttpDisconnectTests {

	@Override
	TestServer start(List<Class<?>> sources) {
		return JettyContainer.start(sources);
	}

}
