package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.Tag;

/**
 * Resets on Jetty.
 */
@Tag("slow")
class JettyResetTests extends ResetContract {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return JettyContainer.start(sources, properties);
	}

}
