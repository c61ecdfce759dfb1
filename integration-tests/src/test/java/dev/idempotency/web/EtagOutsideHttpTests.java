package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.Tag;

/**
 * The contract with a filter outside that holds answers itself.
 */
@Tag("slow")
class EtagOutsideHttpTests extends HttpContract {

	@Override
	TestServer start(String... properties) {
		return TestServer.start(List.of(WebTestApplication.class, EtagFilter.class),
				with(properties, "etag.order=-200"));
	}

}
