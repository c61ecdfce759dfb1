package dev.idempotency.web;

import java.util.List;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * A war in a Tomcat whose context was told nothing.
 */
@Tag("slow")
class DeployedTomcatTests {

	@Nested
	class Contract extends HttpContract {

		@Override
		TestServer start(String... properties) {
			return TestServer.start(Container.DEPLOYED, List.of(WebTestApplication.class), properties);
		}

	}

	@Nested
	class Streaming extends HttpStreamingTests {

		@Override
		public Container container() {
			return Container.DEPLOYED;
		}

	}

	@Nested
	class Outcomes extends HttpOutcomeTests {

		@Override
		public Container container() {
			return Container.DEPLOYED;
		}

		/**
		 * Tomcat renders that error by itself, since a war cannot give it error pages.
		 */
		@Override
		boolean isToldOfTimeouts() {
			return false;
		}

	}

	@Nested
	class Crashes extends HttpCrashTests {

		@Override
		public Container container() {
			return Container.DEPLOYED;
		}

	}

	@Nested
	class Detours extends DetourTests {

		@Override
		public Container container() {
			return Container.DEPLOYED;
		}

	}

	@Nested
	class Disconnects extends HttpDisconnectTests {

		@Override
		public Container container() {
			return Container.DEPLOYED;
		}

	}

	@Nested
	class Sides extends SidesTests {

		@Override
		public Container container() {
			return Container.DEPLOYED;
		}

	}

	@Nested
	class SwallowedFailures extends SwallowedFailureTests {

		@Override
		public Container container() {
			return Container.DEPLOYED;
		}

	}

	@Nested
	class UnwritableAnswers extends UnwritableAnswerTests {

		@Override
		public Container container() {
			return Container.DEPLOYED;
		}

	}

}
