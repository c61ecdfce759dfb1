package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.Tag;

/**
 * Resets on a Tomcat that discards what it has given to handlers, as it does by default.
 */
@Tag("slow")
class TomcatResetTests extends ResetContract {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		return TestServer.start(sources, properties);
	}

}
