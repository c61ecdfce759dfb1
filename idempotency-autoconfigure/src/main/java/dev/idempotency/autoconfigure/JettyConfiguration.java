package dev.idempotency.autoconfigure;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.server.Request;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * An embedded Jetty is asked for the end of each protected request. Its listeners would
 * hear of an end after each dispatch: before an error page is rendered, and while
 * asynchronous processing goes on.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ JettyServletWebServerFactory.class, ServletContextRequest.class, Request.class })
class JettyConfiguration {

	@Bean
	WebServerFactoryCustomizer<JettyServletWebServerFactory> idempotencyJettyCustomizer(ContainerRequestEnds ends) {
		// Not before there is such a server: a war may bring the factory along, and run
		// elsewhere
		return (factory) -> factory.addServerCustomizers((server) -> ends.areToldBy((request, end) -> Request
			.addCompletionListener(ServletContextRequest.getServletContextRequest(request), (failure) -> end.run())));
	}

}
