package dev.idempotency.web;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;

/**
 * Resets on a Tomcat that gives the same objects to one request after another.
 */
@Tag("slow")
class ReusingTomcatResetTests extends ResetContract {

	@Override
	TestServer start(List<Class<?>> sources, String... properties) {
		List<Class<?>> all = new ArrayList<>(sources);
		all.add(Reusing.class);
		return TestServer.start(all, properties);
	}

	static class Reusing {

		@Bean
		WebServerFactoryCustomizer<TomcatServletWebServerFactory> reusing() {
			return (factory) -> factory.addConnectorCustomizers((connector) -> connector.setDiscardFacades(false));
		}

	}

}
