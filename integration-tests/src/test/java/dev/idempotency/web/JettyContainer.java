package dev.idempotency.web;

import java.util.ArrayList;
import java.util.List;

import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.context.annotation.Bean;

/**
 * Makes an application run on Jetty.
 */
class JettyContainer {

	static TestServer start(List<Class<?>> sources, String... properties) {
		List<Class<?>> all = new ArrayList<>(sources);
		all.add(JettyContainer.class);
		return TestServer.start(all, properties);
	}

	@Bean
	JettyServletWebServerFactory container() {
		return new JettyServletWebServerFactory();
	}

}
