package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.Tag;

/**
 * The contract on WebFlux behind a proxy.
 */
@Tag("slow")
class ReactiveForwardedHttpTests extends ForwardedHttpTests {

	@Override
	TestServer start(String... properties) {
		return sendingForwarded(Reactive.start(List.of(WebTestApplication.class),
				with(properties, "server.forward-headers-strategy=framework")));
	}

	@Override
	String location() {
		return "/v1/elsewhere";
	}

	@Override
	List<String> kinds() {
		return ReactiveKinds.KINDS;
	}

}
