package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract behind a proxy.
 */
@Tag("slow")
class ForwardedHttpTests extends HttpContract {

	@Override
	TestServer start(String... properties) {
		return sendingForwarded(TestServer.start(List.of(WebTestApplication.class),
				with(properties, "server.forward-headers-strategy=framework")));
	}

	static TestServer sendingForwarded(TestServer started) {
		return started.sending("X-Forwarded-Host", "shop.example")
			.sending("X-Forwarded-Proto", "https")
			.sending("X-Forwarded-Prefix", "/v1");
	}

	@Test
	void redirectsToWhereTheClientIs() {
		String key = TestServer.newKey();
		server().post("/kinds/redirect").key(key).send();
		assertThat(server().post("/kinds/redirect").key(key).send().header("Location"))
			.startsWith(location() + "?receipt=");
	}

	/**
	 * How the place to which a client is sent is known to it.
	 */
	String location() {
		return "https://shop.example/v1/elsewhere";
	}

}
