package dev.idempotency.actuate;

import java.util.List;

import dev.idempotency.web.TestServer;
import org.junit.jupiter.api.Tag;

/**
 * What operators see of an application on WebFlux.
 */
@Tag("slow")
class ReactiveEndpointTests extends IdempotencyEndpointTests {

	@Override
	TestServer start(List<Class<?>> added, String... properties) {
		return PaymentsApplication.startReactive(added, properties);
	}

}
