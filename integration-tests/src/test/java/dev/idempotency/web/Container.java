package dev.idempotency.web;

import java.util.ArrayList;
import java.util.List;

/**
 * What an application of a test runs in.
 */
enum Container {

	/**
	 * An embedded Tomcat.
	 */
	TOMCAT,

	/**
	 * An embedded Tomcat, over HTTP/2 in clear text.
	 */
	TOMCAT_HTTP2,

	/**
	 * An embedded Jetty.
	 */
	JETTY,

	/**
	 * An embedded Jetty, over HTTP/2 in clear text.
	 */
	JETTY_HTTP2,

	/**
	 * A Tomcat that was there before the application, as for a war.
	 */
	DEPLOYED;

	boolean isHttp2() {
		return this == TOMCAT_HTTP2 || this == JETTY_HTTP2;
	}

	private boolean isJetty() {
		return this == JETTY || this == JETTY_HTTP2;
	}

	List<Class<?>> sources(List<Class<?>> sources) {
		List<Class<?>> all = new ArrayList<>(sources);
		if (isJetty()) {
			all.add(JettyContainer.class);
		}
		if (isHttp2()) {
			all.add(ManyResets.class);
		}
		return all;
	}

	List<String> properties() {
		return isHttp2() ? List.of("server.http2.enabled=true") : List.of();
	}

	/**
	 * A test whose subclasses run in other containers.
	 */
	interface Choice {

		default Container container() {
			return TOMCAT;
		}

		default TestServer serve(List<Class<?>> sources, String... properties) {
			return TestServer.start(container(), sources, properties);
		}

	}

}
