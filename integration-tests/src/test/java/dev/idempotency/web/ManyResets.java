package dev.idempotency.web;

import org.apache.coyote.UpgradeProtocol;
import org.apache.coyote.http2.Http2Protocol;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;

import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;

/**
 * Lets clients reset as many streams as they like: containers take them for attackers
 * otherwise, and close the connection.
 */
class ManyResets {

	@Bean
	WebServerFactoryCustomizer<TomcatServletWebServerFactory> patientTomcat() {
		return (factory) -> factory.addConnectorCustomizers((connector) -> {
			for (UpgradeProtocol protocol : connector.findUpgradeProtocols()) {
				if (protocol instanceof Http2Protocol http2) {
					http2.setOverheadCountFactor(0);
					http2.setOverheadResetFactor(0);
				}
			}
		});
	}

	@Bean
	WebServerFactoryCustomizer<JettyServletWebServerFactory> patientJetty() {
		return (factory) -> factory.addServerCustomizers(ManyResets::makePatient);
	}

	@SuppressWarnings("removal")
	private static void makePatient(Server server) {
		for (Connector connector : server.getConnectors()) {
			connector.getConnectionFactories()
				.stream()
				.filter(AbstractHTTP2ServerConnectionFactory.class::isInstance)
				.map(AbstractHTTP2ServerConnectionFactory.class::cast)
				.forEach((factory) -> factory.setRateControlFactory(new org.eclipse.jetty.http2.RateControl.Factory() {
				}));
		}
	}

}
