package dev.idempotency.web;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.core.StoreVerb;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.test.Race;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Endpoints that others tell of events, more than once.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WebhookTests {

	private static final int DUPLICATES = 20;

	private static final int ROUNDS = LongRun.choose(30, 1000);

	/**
	 * In real time.
	 */
	@AutoClose
	private final TestServer server = TestServer.start(
			List.of(WebTestApplication.class, Inbox.class, Endpoints.class, Waiting.class),
			"idempotency.wait-timeout=60s");

	/**
	 * Where nobody's patience ends, and claims are counted.
	 */
	@AutoClose
	private final TestServer patientServer = TestServer
		.start(List.of(WebTestApplication.class, Inbox.class, Endpoints.class, Waiting.class, MovableStore.class));

	@ParameterizedTest
	@EnumSource
	void aDuplicateDeliveryGetsTheFirstAnswer(WebhookSender sender) {
		String id = newId();
		Answer first = deliver(sender, id, 1);
		assertThat(first.status()).as("%s", first).isEqualTo(202);
		assertThat(first.isReplay()).isFalse();
		for (int delivery = 2; delivery <= 4; delivery++) {
			deliver(sender, id, delivery).assertExactReplayOf(first);
		}
		assertThat(runs(id)).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource
	void anotherEventRuns(WebhookSender sender) {
		String id = newId();
		String other = newId();
		Answer first = deliver(sender, id, 1);
		Answer second = deliver(sender, other, 1);
		assertThat(second.isReplay()).isFalse();
		assertThat(second.body()).isNotEqualTo(first.body());
		assertThat(runs(id)).isEqualTo(1);
		assertThat(runs(other)).isEqualTo(1);
	}

	@Test
	void theSameIdOfAnotherSenderIsAnotherEvent() {
		String id = newId();
		for (WebhookSender sender : WebhookSender.values()) {
			Answer first = deliver(sender, id, 1);
			assertThat(first.status()).as("%s", first).isEqualTo(202);
			assertThat(first.isReplay()).isFalse();
		}
		assertThat(runs(id)).isEqualTo(WebhookSender.values().length);
	}

	@ParameterizedTest
	@EnumSource
	void aDeliveryWithoutAnIdIsRefused(WebhookSender sender) {
		int before = inbox().size();
		Answer answer = sender.delivery(this.server, sender.path(), null, 1).send();
		answer.assertProblem(400, "key-missing");
		assertThat(inbox().size()).isEqualTo(before);
	}

	@ParameterizedTest
	@EnumSource
	void anEventThatFailedRunsAgainWhenItIsDeliveredAgain(WebhookSender sender) {
		String id = newId();
		inbox().failOn(id);
		assertThat(deliver(sender, id, 1).status()).isEqualTo(500);
		Answer second = deliver(sender, id, 2);
		assertThat(second.status()).as("%s", second).isEqualTo(202);
		assertThat(second.isReplay()).isFalse();
		deliver(sender, id, 3).assertExactReplayOf(second);
		assertThat(runs(id)).isEqualTo(2);
	}

	@ParameterizedTest
	@EnumSource
	void aDuplicateThatComesWhileTheEventIsHandledIsToldToComeAgain(WebhookSender sender) {
		String id = newId();
		CompletableFuture<Answer> first = inbox().hold(id, sender.delivery(this.server, sender.path(), id, 1));
		deliver(sender, id, 2).assertInProgress();
		assertThat(first).isNotDone();
		inbox().letGo(id);
		assertThat(first.join().status()).isEqualTo(202);
		deliver(sender, id, 3).assertExactReplayOf(first.join());
		assertThat(runs(id)).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource
	void aDuplicateThatComesWhileTheEventIsHandledWaitsWhereItIsToWait(WebhookSender sender) {
		String id = newId();
		List<Answer> answers = deliverWhileItIsHandled(sender, id);
		assertThat(answers.get(0).status()).isEqualTo(202);
		answers.get(1).assertExactReplayOf(answers.get(0));
		assertThat(this.patientServer.executions().of(id)).isEqualTo(1);
	}

	@ParameterizedTest
	@EnumSource
	void aDuplicateThatHasWaitedRunsWhenTheFirstDeliveryFails(WebhookSender sender) {
		String id = newId();
		this.patientServer.bean(Inbox.class).failOn(id);
		List<Answer> answers = deliverWhileItIsHandled(sender, id);
		assertThat(answers.get(0).status()).isEqualTo(500);
		assertThat(answers.get(1).status()).isEqualTo(202);
		assertThat(answers.get(1).isReplay()).isFalse();
		assertThat(this.patientServer.executions().of(id)).isEqualTo(2);
	}

	/**
	 * Delivers an event a second time, and lets the first delivery end when the second
	 * one waits.
	 */
	private List<Answer> deliverWhileItIsHandled(WebhookSender sender, String id) {
		String path = "/waiting" + sender.path();
		Inbox inbox = this.patientServer.bean(Inbox.class);
		MovableStore store = this.patientServer.bean(MovableStore.class);
		CompletableFuture<Answer> first = inbox.hold(id, sender.delivery(this.patientServer, path, id, 1));
		int claims = store.calls(StoreVerb.CLAIM);
		CompletableFuture<Answer> second = Background.start(sender.delivery(this.patientServer, path, id, 2)::send);
		// Whoever looks a second time waits
		await().until(() -> store.calls(StoreVerb.CLAIM) >= claims + 2);
		assertThat(first).isNotDone();
		assertThat(second).isNotDone();
		inbox.letGo(id);
		return List.of(first.join(), second.join());
	}

	@Tag("once")
	@ParameterizedTest
	@EnumSource
	void aBurstOfDuplicatesHasOneEffect(WebhookSender sender) {
		for (int round = 0; round < ROUNDS; round++) {
			String id = newId();
			List<Answer> answers = burst(sender, sender.path(), id);
			assertThat(runs(id)).as("round %d", round).isEqualTo(1);
			assertThat(answers).filteredOn((answer) -> answer.status() == 409).allSatisfy(Answer::assertInProgress);
			assertThatOneRunAnswered(answers.stream().filter((answer) -> answer.status() != 409).toList());
		}
	}

	@Tag("once")
	@ParameterizedTest
	@EnumSource
	void aBurstOfDuplicatesThatWaitGetsOneAnswer(WebhookSender sender) {
		for (int round = 0; round < ROUNDS; round++) {
			String id = newId();
			List<Answer> answers = burst(sender, "/waiting" + sender.path(), id);
			assertThat(runs(id)).as("round %d", round).isEqualTo(1);
			assertThat(answers).hasSize(DUPLICATES);
			assertThatOneRunAnswered(answers);
		}
	}

	private List<Answer> burst(WebhookSender sender, String path, String id) {
		AtomicInteger deliveries = new AtomicInteger();
		return Race.run(DUPLICATES, () -> sender.delivery(this.server, path, id, deliveries.incrementAndGet()).send());
	}

	@ParameterizedTest
	@EnumSource
	void theHandlerGetsTheBodyByteForByte(WebhookSender sender) {
		String id = newId();
		deliver(sender, id, 1);
		assertThat(inbox().payload(id)).isEqualTo(sender.payload(id, 1));
	}

	/**
	 * What {@code fingerprint = false} is for.
	 */
	@Test
	void anEventWhoseBodyChangesBetweenDeliveriesIsRefusedWhereRequestsAreCompared() {
		String id = newId();
		assertThat(WebhookSender.STRIPE.delivery(this.server, "/compared/stripe", id, 2).send().status())
			.isEqualTo(202);
		Answer again = WebhookSender.STRIPE.delivery(this.server, "/compared/stripe", id, 1).send();
		again.assertProblem(422, "key-reused");
		assertThat(runs(id)).isEqualTo(1);
	}

	private static String newId() {
		return "evt_" + TestServer.newKey();
	}

	private Answer deliver(WebhookSender sender, String id, int delivery) {
		return sender.delivery(this.server, sender.path(), id, delivery).send();
	}

	private Inbox inbox() {
		return this.server.bean(Inbox.class);
	}

	private int runs(String id) {
		return this.server.executions().of(id);
	}

	private static void assertThatOneRunAnswered(List<Answer> answers) {
		assertThat(answers).filteredOn((answer) -> !answer.isReplay()).singleElement().satisfies((first) -> {
			assertThat(first.status()).as("%s", first).isEqualTo(202);
			assertThat(answers).filteredOn(Answer::isReplay).allSatisfy((again) -> again.assertExactReplayOf(first));
		});
	}

	/**
	 * As their authors would write them.
	 */
	@RestController
	record Endpoints(Inbox inbox) {

		@PostMapping("/standard")
		@Idempotent(key = "header('webhook-id')", ttl = "7d")
		ResponseEntity<String> standard(@RequestHeader("webhook-id") String id, @RequestBody byte[] payload) {
			return ResponseEntity.accepted().body(this.inbox.receive(id, payload));
		}

		@PostMapping("/github")
		@Idempotent(key = "header('X-GitHub-Delivery')", ttl = "7d")
		ResponseEntity<String> github(@RequestHeader("X-GitHub-Delivery") String id, @RequestBody byte[] payload) {
			return ResponseEntity.accepted().body(this.inbox.receive(id, payload));
		}

		@PostMapping("/stripe")
		@Idempotent(key = "body('/id')", fingerprint = false, ttl = "7d")
		ResponseEntity<String> stripe(@RequestBody byte[] payload, IdempotencyContext context) {
			return ResponseEntity.accepted().body(this.inbox.receive(context.key().value(), payload));
		}

		@PostMapping("/compared/stripe")
		@Idempotent(key = "body('/id')")
		ResponseEntity<String> compared(@RequestBody byte[] payload, IdempotencyContext context) {
			return stripe(payload, context);
		}

	}

	@RestController
	@RequestMapping("/waiting")
	record Waiting(Inbox inbox) {

		@PostMapping("/standard")
		@Idempotent(key = "header('webhook-id')", onConflict = OnConflict.WAIT)
		ResponseEntity<String> standard(@RequestHeader("webhook-id") String id, @RequestBody byte[] payload) {
			return ResponseEntity.accepted().body(this.inbox.receive(id, payload));
		}

		@PostMapping("/github")
		@Idempotent(key = "header('X-GitHub-Delivery')", onConflict = OnConflict.WAIT)
		ResponseEntity<String> github(@RequestHeader("X-GitHub-Delivery") String id, @RequestBody byte[] payload) {
			return ResponseEntity.accepted().body(this.inbox.receive(id, payload));
		}

		@PostMapping("/stripe")
		@Idempotent(key = "body('/id')", fingerprint = false, onConflict = OnConflict.WAIT)
		ResponseEntity<String> stripe(@RequestBody byte[] payload, IdempotencyContext context) {
			return ResponseEntity.accepted().body(this.inbox.receive(context.key().value(), payload));
		}

	}

}
