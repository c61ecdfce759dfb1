package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.jetty.JettyWebServer;
import org.springframework.boot.jetty.reactive.JettyReactiveWebServerFactory;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract on WebFlux in Jetty.
 */
@Tag("slow")
class ReactiveJettyHttpTests extends HttpContract {

	@Override
	TestServer start(String... properties) {
		return Reactive.start(List.of(WebTestApplication.class, Container.class), properties);
	}

	@Test
	void runsOnJetty() {
		assertThat(server().container()).isInstanceOf(JettyWebServer.class);
	}

	static class Container {

		@Bean
		JettyReactiveWebServerFactory container() {
			return new JettyReactiveWebServerFactory();
		}

	}

	@Override
	List<String> kinds() {
		return ReactiveKinds.KINDS;
	}

}
