package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * The contract with a virtual thread for each request.
 */
@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with Java 21")
class VirtualThreadsHttpTests extends HttpContract {

	@Override
	TestServer start(String... properties) {
		return TestServer.start(List.of(WebTestApplication.class),
				with(properties, "spring.threads.virtual.enabled=true"));
	}

}
