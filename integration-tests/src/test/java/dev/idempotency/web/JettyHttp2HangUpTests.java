package dev.idempotency.web;

/**
 * Clients of a Jetty that leave over HTTP/2.
 */
class JettyHttp2HangUpTests extends Http2HangUpTests {

	@Override
	public Container container() {
		return Container.JETTY_HTTP2;
	}

}
