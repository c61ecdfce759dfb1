package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * HTTP/2 in clear text on Tomcat: all requests of a client are streams of one connection.
 */
@Tag("slow")
class TomcatHttp2Tests {

	@Nested
	class Contract extends HttpContract {

		@Override
		TestServer start(String... properties) {
			return TestServer.start(Container.TOMCAT_HTTP2, List.of(WebTestApplication.class), properties);
		}

	}

	@Nested
	class Streaming extends HttpStreamingTests {

		@Override
		public Container container() {
			return Container.TOMCAT_HTTP2;
		}

	}

	@Nested
	@EnabledIfSystemProperty(named = "long", matches = "true",
			disabledReason = "Tomcat harms other requests when streams are reset, with the library or without")
	class Resets extends StreamResetContract {

		@Override
		public Container container() {
			return Container.TOMCAT_HTTP2;
		}

		/**
		 * A stream that is reset may take its connection along, or end another request of
		 * it, protected or not.
		 */
		@Override
		boolean neighboursAreSafe() {
			return false;
		}

	}

}
