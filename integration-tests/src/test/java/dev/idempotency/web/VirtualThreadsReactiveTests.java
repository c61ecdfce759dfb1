package dev.idempotency.web;

import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * The contract on WebFlux, with stores called on virtual threads.
 */
@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with Java 21")
class VirtualThreadsReactiveTests extends ReactiveHttpTests {

	@Override
	TestServer start(String... properties) {
		return super.start(TestServer.with(properties, "spring.threads.virtual.enabled=true"));
	}

}
