package dev.idempotency.web;

import java.util.List;

/**
 * The contract without anything around.
 */
class PlainHttpTests extends HttpContract {

	@Override
	TestServer start(String... properties) {
		return TestServer.start(List.of(WebTestApplication.class), properties);
	}

}
