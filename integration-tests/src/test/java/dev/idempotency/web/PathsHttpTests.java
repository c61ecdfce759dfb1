package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.Tag;

/**
 * The contract under a context path and a servlet path.
 */
@Tag("slow")
class PathsHttpTests extends HttpContract {

	@Override
	TestServer start(String... properties) {
		return TestServer.start(List.of(WebTestApplication.class),
				with(properties, "server.servlet.context-path=/shop", "spring.mvc.servlet.path=/api"));
	}

}
