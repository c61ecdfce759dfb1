package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.Tag;

/**
 * The contract on WebFlux under a path.
 */
@Tag("slow")
class ReactivePathsHttpTests extends HttpContract {

	@Override
	TestServer start(String... properties) {
		return Reactive.start(List.of(WebTestApplication.class), with(properties, "spring.webflux.base-path=/shop"));
	}

	@Override
	List<String> kinds() {
		return ReactiveKinds.KINDS;
	}

}
