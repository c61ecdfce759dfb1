package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.jetty.JettyWebServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract on Jetty.
 */
@Tag("slow")
class JettyHttpTests extends HttpContract {

	@Override
	TestServer start(String... properties) {
		return JettyContainer.start(List.of(WebTestApplication.class), properties);
	}

	@Test
	void runsOnJetty() {
		assertThat(server().container()).isInstanceOf(JettyWebServer.class);
	}

}
