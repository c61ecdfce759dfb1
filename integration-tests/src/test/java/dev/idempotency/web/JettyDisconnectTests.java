package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.Tag;

/**
 * Clients that hang up on Jetty.
 */
@Tag("slow")
class JettyDisconnectTests extends HttpDisconnectTests {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return JettyContainer.start(sources, properties);
	}

}
