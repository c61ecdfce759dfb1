package dev.idempotency.web;

import java.util.List;

/**
 * The contract with a filter outside that holds answers itself.
 */
class EtagOutsideHttpTests extends HttpContract {

	@Override
	TestServer start(String... properties) {
		return TestServer.start(List.of(WebTestApplication.class, EtagFilter.class),
				with(properties, "etag.order=-200"));
	}

}
