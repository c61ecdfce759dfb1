package dev.idempotency.autoconfigure;

import dev.idempotency.web.FormLimits;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
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
@ConditionalOnClass({ JettyServletWebServerFactory.class, ServletContextHandler.class, ServletContextRequest.class,
		Request.class })
class JettyConfiguration {

	@Bean
	FormLimits idempotencyJettyFormLimits() {
		return JettyConfiguration::refusal;
	}

	private static int refusal(HttpServletRequest request, int size, int parameters) {
		ServletContextHandler context = ServletContextHandler.getServletContextHandler(request.getServletContext());
		if (context == null) {
			return 0;
		}
		boolean tooLarge = context.getMaxFormContentSize() >= 0 && size > context.getMaxFormContentSize();
		boolean tooMany = context.getMaxFormKeys() >= 0 && parameters > context.getMaxFormKeys();
		return (tooLarge || tooMany) ? HttpServletResponse.SC_BAD_REQUEST : 0;
	}

	@Bean
	WebServerFactoryCustomizer<JettyServletWebServerFactory> idempotencyJettyCustomizer(ContainerRequestEnds ends) {
		// Only once there is such a server: a war may contain the factory, and run
		// elsewhere
		return (factory) -> factory.addServerCustomizers((server) -> ends.areToldBy((request, end) -> Request
			.addCompletionListener(ServletContextRequest.getServletContextRequest(request), (failure) -> end.run())));
	}

}
