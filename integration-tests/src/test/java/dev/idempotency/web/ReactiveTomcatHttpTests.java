package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.tomcat.reactive.TomcatReactiveWebServerFactory;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract on WebFlux in Tomcat.
 */
@Tag("slow")
@EnabledIfSystemProperty(named = "long", matches = "true",
		disabledReason = "Tomcat closes connections of WebFlux now and then, see docs/webflux.md")
class ReactiveTomcatHttpTests extends HttpContract {

	@Override
	TestServer start(String... properties) {
		return Reactive.start(List.of(WebTestApplication.class, Container.class), properties);
	}

	@Test
	void runsOnTomcat() {
		assertThat(server().container()).isInstanceOf(TomcatWebServer.class);
	}

	static class Container {

		@Bean
		TomcatReactiveWebServerFactory container() {
			TomcatReactiveWebServerFactory factory = new TomcatReactiveWebServerFactory();
			// With WebFlux, Tomcat closes a connection after so many without a word
			factory.addConnectorCustomizers((connector) -> connector.setProperty("maxKeepAliveRequests", "-1"));
			return factory;
		}

	}

	@Override
	List<String> kinds() {
		return ReactiveKinds.KINDS;
	}

}
