package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.Tag;

/**
 * Odd handlers on Jetty.
 */
@Tag("slow")
class JettySidesTests extends SidesTests {

	@Override
	TestServer start(List<Class<?>> sources) {
		return JettyContainer.start(sources);
	}

}
