package dev.idempotency.web;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What the contract says where containers differ, on Jetty.
 */
@Tag("slow")
class JettyContainerTests {

	@Nested
	class Streaming extends HttpStreamingTests {

		@Override
		public Container container() {
			return Container.JETTY;
		}

	}

	@Nested
	class Outcomes extends HttpOutcomeTests {

		@Override
		public Container container() {
			return Container.JETTY;
		}

	}

	@Nested
	class Crashes extends HttpCrashTests {

		@Override
		public Container container() {
			return Container.JETTY;
		}

	}

	@Nested
	class Errors extends ErrorAnswerTests {

		@Override
		public Container container() {
			return Container.JETTY;
		}

	}

	@Nested
	class Detours extends DetourTests {

		@Override
		public Container container() {
			return Container.JETTY;
		}

		/**
		 * The Jetty of Spring Boot 4.1 lets no servlet have a request that it cannot
		 * unwrap, protected or not. That of 4.0 does.
		 */
		@Override
		@Test
		void aRetryIsAnsweredWithoutAHandlerWhoseRequestIsDisguised() {
			Answer answer = server().post("/disguised").key(TestServer.newKey()).send();
			if (answer.status() != 500) {
				super.aRetryIsAnsweredWithoutAHandlerWhoseRequestIsDisguised();
			}
		}

	}

	@Nested
	class SwallowedFailures extends SwallowedFailureTests {

		@Override
		public Container container() {
			return Container.JETTY;
		}

	}

	@Nested
	class UnwritableAnswers extends UnwritableAnswerTests {

		@Override
		public Container container() {
			return Container.JETTY;
		}

	}

	@Nested
	class LateBodies extends LateBodyTests {

		@Override
		public Container container() {
			return Container.JETTY;
		}

	}

	@Nested
	class BodyLimits extends BodyLimitTests {

		@Override
		public Container container() {
			return Container.JETTY;
		}

	}

	@Nested
	class DryRuns extends DryRunTests {

		@Override
		public Container container() {
			return Container.JETTY;
		}

	}

	@Nested
	class StoreFailures extends HttpStoreFailureTests {

		@Override
		public Container container() {
			return Container.JETTY;
		}

	}

	@Nested
	class Transactions extends H2TransactionalHttpTests {

		@Override
		public Container container() {
			return Container.JETTY;
		}

	}

	@Nested
	class Sides extends SidesTests {

		@Override
		public Container container() {
			return Container.JETTY;
		}

	}

	@Nested
	class Disconnects extends HttpDisconnectTests {

		@Override
		public Container container() {
			return Container.JETTY;
		}

	}

}
