package dev.idempotency.web;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

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

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Duplicates of a request that arrive before, while and after its handler runs.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("once")
class HttpRaceTests {

	private static final int DUPLICATES = 12;

	private static final int ROUNDS = LongRun.choose(200, 5000);

	private static final Duration LEASE = Duration.ofMillis(300);

	private static final Duration PATIENCE = Duration.ofMillis(100);

	/**
	 * In real time.
	 */
	@AutoClose
	private final TestServer server = start(List.of(WebTestApplication.class, Endpoints.class, Gates.class),
			"idempotency.wait-timeout=60s");

	/**
	 * In the time of {@link #store}.
	 */
	@AutoClose
	private final TestServer slowServer = start(
			List.of(WebTestApplication.class, Endpoints.class, Gates.class, MovableStore.class),
			"idempotency.lease=" + LEASE.toMillis() + "ms", "idempotency.wait-timeout=" + PATIENCE.toMillis() + "ms");

	private final MovableStore store = this.slowServer.bean(MovableStore.class);

	private final Gates gates = this.slowServer.bean(Gates.class);

	/**
	 * Starts an application in the surroundings of this test.
	 */
	TestServer start(List<Class<?>> sources, String... properties) {
		return TestServer.start(sources, properties);
	}

	@Test
	void duplicatesAtTheSameMomentRunOnce() {
		String key = TestServer.newKey();
		List<Answer> answers = Race.run(16, () -> this.server.post("/quick").key(key).send());
		assertThat(this.server.executions().of(key)).isEqualTo(1);
		assertThat(answers).filteredOn((answer) -> answer.status() == 409).allSatisfy(Answer::assertInProgress);
		assertThatOneExecutionAnswered(answers.stream().filter((answer) -> answer.status() != 409).toList());
	}

	@Test
	void duplicatesAroundTheEndRunOnce() {
		AtomicInteger refused = new AtomicInteger();
		AtomicInteger replayed = new AtomicInteger();
		for (int round = 0; round < ROUNDS; round++) {
			String key = TestServer.newKey();
			List<Answer> answers = sendAroundTheEnd("/until-released", key, round);
			assertThat(this.server.executions().of(key)).as("round %d", round).isEqualTo(1);
			List<Answer> conflicts = answers.stream().filter((answer) -> answer.status() == 409).toList();
			assertThat(conflicts).as("round %d", round).allSatisfy(Answer::assertInProgress);
			List<Answer> others = new ArrayList<>(answers);
			others.removeAll(conflicts);
			refused.addAndGet(conflicts.size());
			replayed.addAndGet(others.size() - 1);
			others.add(this.server.post("/until-released").key(key).send());
			assertThatOneExecutionAnswered(others);
		}
		assertThat(refused).as("some came before the end").hasPositiveValue();
		assertThat(replayed).as("some came after it").hasPositiveValue();
	}

	@Test
	void duplicatesThatWaitAllGetTheOneAnswer() {
		for (int round = 0; round < ROUNDS; round++) {
			String key = TestServer.newKey();
			List<Answer> answers = sendAroundTheEnd("/until-released/awaited", key, round);
			assertThat(this.server.executions().of(key)).as("round %d", round).isEqualTo(1);
			assertThatOneExecutionAnswered(answers);
		}
	}

	/**
	 * Sends duplicates one of which, each time another, lets the handler end.
	 */
	private List<Answer> sendAroundTheEnd(String path, String key, int round) {
		Gates end = this.server.bean(Gates.class);
		AtomicInteger order = new AtomicInteger();
		return Race.run(DUPLICATES, () -> {
			pause(1000);
			if (order.getAndIncrement() == round % DUPLICATES) {
				end.open(key);
			}
			pause(1000);
			return this.server.post(path).key(key).send();
		});
	}

	@Test
	void anExecutionThatOutlivesItsLeaseIsNotRepeated() {
		String key = TestServer.newKey();
		CompletableFuture<Answer> first = sendAsync(this.slowServer, "/until-released", key);
		this.gates.await(key + " runs");
		AtomicBoolean over = new AtomicBoolean();
		List<CompletableFuture<List<Answer>>> duplicates = List.of(sendUntil(over, key), sendUntil(over, key));
		for (int half = 0; half < 7; half++) {
			int renewals = this.store.calls(StoreVerb.RENEW);
			this.store.pass(LEASE.multipliedBy(3).dividedBy(5));
			await().until(() -> this.store.calls(StoreVerb.RENEW) > renewals);
		}
		over.set(true);
		assertThat(duplicates).extracting(CompletableFuture::join)
			.allSatisfy((answers) -> assertThat(answers).isNotEmpty().allSatisfy(Answer::assertInProgress));
		this.gates.open(key);
		assertThatOneExecutionAnswered(List.of(first.join(), this.slowServer.post("/until-released").key(key).send()));
		assertThat(this.slowServer.executions().of(key)).isEqualTo(1);
	}

	private CompletableFuture<List<Answer>> sendUntil(AtomicBoolean over, String key) {
		return Background.start(() -> {
			List<Answer> answers = new ArrayList<>();
			do {
				answers.add(this.slowServer.post("/until-released").key(key).send());
				pause(10_000);
			}
			while (!over.get());
			return answers;
		});
	}

	@Test
	void aDuplicateThatHasWaitedLongEnoughLeavesTheKeyAlone() {
		String key = TestServer.newKey();
		CompletableFuture<Answer> first = sendAsync(this.slowServer, "/until-released/awaited", key);
		this.gates.await(key + " runs");
		int claims = this.store.calls(StoreVerb.CLAIM);
		CompletableFuture<Answer> second = sendAsync(this.slowServer, "/until-released/awaited", key);
		// The second claim of those that wait comes after they have looked at the clock
		await().until(() -> this.store.calls(StoreVerb.CLAIM) >= claims + 2);
		this.store.pass(PATIENCE);
		second.join().assertInProgress();
		this.gates.open(key);
		assertThatOneExecutionAnswered(
				List.of(first.join(), this.slowServer.post("/until-released/awaited").key(key).send()));
		assertThat(this.slowServer.executions().of(key)).isEqualTo(1);
	}

	@Test
	void aDifferentRequestIsRefusedForGoodAlsoWhileTheFirstOneRuns() {
		String key = TestServer.newKey();
		CompletableFuture<Answer> first = Background
			.start(() -> this.server.post("/until-released").key(key).json("{\"amount\":1}").send());
		this.server.bean(Gates.class).await(key + " runs");
		Answer other = this.server.post("/until-released").key(key).json("{\"amount\":2}").send();
		other.assertProblem(422, "key-reused");
		this.server.bean(Gates.class).open(key);
		assertThatOneExecutionAnswered(
				List.of(first.join(), this.server.post("/until-released").key(key).json("{ \"amount\": 1 }").send()));
		assertThat(this.server.executions().of(key)).isEqualTo(1);
	}

	private static CompletableFuture<Answer> sendAsync(TestServer server, String path, String key) {
		return Background.start(() -> server.post(path).key(key).send());
	}

	private static void assertThatOneExecutionAnswered(List<Answer> answers) {
		Answer one = answers.get(0);
		assertThat(answers).filteredOn((answer) -> !answer.isReplay())
			.singleElement()
			.extracting(Answer::effect)
			.isEqualTo("created");
		assertThat(answers).allSatisfy((answer) -> {
			assertThat(answer.status()).as("%s", answer).isEqualTo(201);
			assertThat(answer.body()).isEqualTo(one.body());
			assertThat(answer.lastingHeaders()).isEqualTo(one.lastingHeaders());
			assertThat(answer.effect()).isEqualTo(answer.isReplay() ? "noop" : "created");
		});
	}

	/**
	 * Long enough to let others in.
	 */
	private static void pause(int maxMicros) {
		LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextInt(1, maxMicros)));
	}

	/**
	 * Handlers that count themselves by their key.
	 */
	@RestController
	@Idempotent
	record Endpoints(Gates gates, Executions executions) {

		@PostMapping("/quick")
		ResponseEntity<String> quick(IdempotencyContext context) {
			String receipt = this.executions.next(context.key().value());
			pause(2000);
			return ResponseEntity.status(201).header("X-Receipt", receipt).body(receipt);
		}

		@PostMapping("/until-released")
		ResponseEntity<String> untilReleased(IdempotencyContext context) {
			String key = context.key().value();
			String receipt = this.executions.next(key);
			this.gates.open(key + " runs");
			this.gates.await(key);
			return ResponseEntity.status(201).header("X-Receipt", receipt).body(receipt);
		}

		@PostMapping("/until-released/awaited")
		@Idempotent(onConflict = OnConflict.WAIT)
		ResponseEntity<String> awaited(IdempotencyContext context) {
			return untilReleased(context);
		}

	}

}
