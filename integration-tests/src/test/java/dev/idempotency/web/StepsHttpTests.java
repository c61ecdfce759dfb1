package dev.idempotency.web;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKeyReusedException;
import dev.idempotency.Idempotent;
import dev.idempotency.OperationInProgressException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Steps inside of handlers, and handlers that call protected methods.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StepsHttpTests {

	@AutoClose
	private final TestServer server = start(List.of(WebTestApplication.class, Payments.class, Orders.class));

	private final Orders orders = this.server.bean(Orders.class);

	private final Executions executions = this.server.bean(Executions.class);

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return TestServer.start(sources, properties);
	}

	@BeforeEach
	void clear() {
		this.executions.clear();
		this.orders.broken.set(false);
	}

	@Test
	void aRetryGoesOnWhereTheFirstAttemptFailed() {
		String key = TestServer.newKey();
		this.orders.broken.set(true);
		assertThat(order(key, "book").status()).isEqualTo(500);
		assertThat(order(key, "book").status()).isEqualTo(500);
		this.orders.broken.set(false);
		Answer done = order(key, "book");
		assertThat(done.status()).as("%s", done).isEqualTo(200);
		assertThat(done.text()).startsWith("charge no. 1 ").contains("ship no. 3 ");
		assertThat(done.effect()).as("said inside of a step").isEqualTo("created");
		assertThat(order(key, "book").isReplay()).isTrue();
		assertThat(this.executions.of("charge")).isEqualTo(1);
		assertThat(this.executions.of("ship")).isEqualTo(3);
	}

	@Test
	void anotherRequestUnderAKeyThatWasGivenBackHasOtherSteps() {
		String key = TestServer.newKey();
		this.orders.broken.set(true);
		assertThat(order(key, "book").status()).isEqualTo(500);
		this.orders.broken.set(false);
		assertThat(order(key, "record").text()).startsWith("charge no. 2 ");
	}

	@Test
	void anotherKeyHasOtherSteps() {
		assertThat(order(TestServer.newKey(), "book").text()).startsWith("charge no. 1 ");
		assertThat(order(TestServer.newKey(), "book").text()).startsWith("charge no. 2 ");
	}

	@Test
	void aClientIsNotBlamedForAMethodThatItsHandlerCalls() {
		Answer answer = this.server.post("/keyless").send();
		assertThat(answer.status()).as("%s", answer).isEqualTo(500);
		assertThat(answer.text()).doesNotContain("Payments").doesNotContain("urn:idempotency:");
	}

	@Test
	void aClientIsToldToComeBackForAMethodThatIsRunning() {
		Answer answer = this.server.post("/running").send();
		assertThat(answer.status()).as("%s", answer).isEqualTo(409);
		assertThat(answer.header("Retry-After")).isEqualTo("7");
	}

	@Test
	void aFailureOfAMethodIsNotStoredAsARefusal() {
		String key = TestServer.newKey();
		assertThat(this.server.post("/reused").key(key).send().status()).isEqualTo(500);
		Answer again = this.server.post("/reused").key(key).send();
		assertThat(again.status()).isEqualTo(500);
		assertThat(again.isReplay()).isFalse();
		assertThat(this.executions.of("reused")).isEqualTo(2);
	}

	private Answer order(String key, String what) {
		return this.server.post("/orders").key(key).body("text/plain", what).send();
	}

	static class Payments {

		@Idempotent(key = "#id")
		public void pay(@Nullable String id) {
		}

	}

	@RestController
	static class Orders {

		private final Executions executions;

		private final Payments payments;

		private final AtomicBoolean broken = new AtomicBoolean();

		Orders(Executions executions, Payments payments) {
			this.executions = executions;
			this.payments = payments;
		}

		@PostMapping("/orders")
		@Idempotent
		String order(@RequestBody String what, IdempotencyContext context) {
			String charge = context.steps().run("charge", String.class, () -> this.executions.next("charge"));
			String parcel = context.steps().run("ship", what, String.class, () -> {
				String shipped = this.executions.next("ship");
				IdempotencyContext.current().effect(Effect.CREATED);
				if (this.broken.get()) {
					throw new IllegalStateException("no parcels today");
				}
				return shipped;
			});
			return charge + ", " + parcel;
		}

		@PostMapping("/keyless")
		void keyless() {
			this.payments.pay(null);
		}

		@PostMapping("/running")
		void running() {
			throw new OperationInProgressException("a method is running", Duration.ofSeconds(7));
		}

		@PostMapping("/reused")
		@Idempotent
		void reused() {
			this.executions.next("reused");
			throw new IdempotencyKeyReusedException("a method's key was used for something else");
		}

	}

}
