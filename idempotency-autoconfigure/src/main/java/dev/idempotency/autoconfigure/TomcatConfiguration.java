package dev.idempotency.autoconfigure;

import java.io.IOException;

import dev.idempotency.web.IdempotencyFilter;
import dev.idempotency.web.RequestEnds;
import jakarta.servlet.ServletException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Configuration of an embedded Tomcat, where a valve notifies the filter of the end of
 * requests. A listener would slow down every request, protected or not: with one, Tomcat
 * creates an event for each attribute that is set.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(ValveBase.class)
class TomcatConfiguration {

	@Bean
	TomcatContext idempotencyTomcatContext(ContainerRequestEnds ends) {
		return new TomcatContext(ends);
	}

	/**
	 * An embedded Tomcat.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(TomcatServletWebServerFactory.class)
	static class Embedded {

		@Bean
		WebServerFactoryCustomizer<TomcatServletWebServerFactory> idempotencyTomcatCustomizer(
				ContainerRequestEnds ends) {
			return (factory) -> {
				factory.addEngineValves(new EndOfRequestValve());
				// Only once there is such a server: a war may contain the factory, and
				// run elsewhere
				factory.addContextCustomizers((context) -> ends.areToldBy(RequestEnds.toldForEveryRequest()));
			};
		}

	}

	private static final class EndOfRequestValve extends ValveBase {

		private EndOfRequestValve() {
			super(true);
		}

		@Override
		public void invoke(Request request, Response response) throws IOException, ServletException {
			try {
				getNext().invoke(request, response);
			}
			finally {
				if (!request.isAsync()) {
					IdempotencyFilter.requestIsOver(request);
				}
			}
		}

	}

}
