package dev.idempotency.web;

import java.util.List;

/**
 * Resets on Jetty.
 */
class JettyResetTests extends ResetContract {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return JettyContainer.start(sources, properties);
	}

}
