package dev.idempotency.autoconfigure;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.server.Request;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Configuration of an embedded Jetty, which reports the end of each protected request.
 * Its listeners are called after each dispatch: before an error page is rendered, and
 * while asynchronous processing continues.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ JettyServletWebServerFactory.class, ServletContextRequest.class, Request.class })
class JettyConfiguration {

	@Bean
	WebServerFactoryCustomizer<JettyServletWebServerFactory> idempotencyJettyCustomizer(ContainerRequestEnds ends) {
		// Only once there is such a server: a war may contain the factory, and run
		// elsewhere
		return (factory) -> factory.addServerCustomizers((server) -> ends.areToldBy((request, end) -> Request
			.addCompletionListener(ServletContextRequest.getServletContextRequest(request), (failure) -> end.run())));
	}

}
