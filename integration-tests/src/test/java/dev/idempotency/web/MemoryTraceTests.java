package dev.idempotency.web;

import java.util.List;

/**
 * Traces of calls that are remembered in memory.
 */
class MemoryTraceTests extends TraceContract {

	@Override
	TestServer start(Class<?> application, String... properties) {
		return TestServer.start(List.of(application), TestServer.with(properties, Bystanders.ALL));
	}

}
