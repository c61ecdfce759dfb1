package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * HTTP/2 in clear text on Jetty: all requests of a client are streams of one connection.
 */
@Tag("slow")
class JettyHttp2Tests {

	@Nested
	class Contract extends HttpContract {

		@Override
		TestServer start(String... properties) {
			return TestServer.start(Container.JETTY_HTTP2, List.of(WebTestApplication.class), properties);
		}

	}

	@Nested
	class Streaming extends HttpStreamingTests {

		@Override
		public Container container() {
			return Container.JETTY_HTTP2;
		}

	}

	@Nested
	class Outcomes extends HttpOutcomeTests {

		@Override
		public Container container() {
			return Container.JETTY_HTTP2;
		}

	}

	@Nested
	class Crashes extends HttpCrashTests {

		@Override
		public Container container() {
			return Container.JETTY_HTTP2;
		}

	}

	@Nested
	class Resets extends StreamResetContract {

		@Override
		public Container container() {
			return Container.JETTY_HTTP2;
		}

		@Override
		boolean neighboursAreSafe() {
			return true;
		}

	}

}
