package dev.idempotency.web;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.test.Race;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Keys that tell their age: UUIDs of version 7.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class KeyAgeContract {

	private static final int ROUNDS = LongRun.choose(30, 2000);

	private static final int SENDERS = 5;

	static final Duration TTL = Duration.ofHours(1);

	private TestServer server;

	@BeforeAll
	void start() {
		this.server = start(List.of(WebTestApplication.class, Endpoints.class, Gates.class),
				"idempotency.http.key-age=key", "idempotency.ttl=" + TTL.toMinutes() + "m",
				"idempotency.wait-timeout=30s");
	}

	@AfterAll
	void stop() {
		this.server.close();
	}

	/**
	 * Starts an application in the surroundings of this test.
	 */
	abstract TestServer start(List<Class<?>> sources, String... properties);

	@Test
	void aYoungKeyRunsAndIsReplayed() {
		String key = keyOf(Instant.now().minus(TTL).plusSeconds(60));
		Answer first = run(key);
		assertThat(first.status()).isEqualTo(201);
		run(key).assertReplayOf(first);
		assertThat(executions(key)).isEqualTo(1);
		assertThat(isStored(key)).isTrue();
	}

	@Test
	void anOldKeyDoesNotRunAndLeavesNothing() {
		String key = keyOf(Instant.now().minus(TTL));
		run(key).assertProblem(412, "key-expired");
		run(key).assertProblem(412, "key-expired");
		assertThat(executions(key)).isZero();
		assertThat(isStored(key)).isFalse();
	}

	@Test
	void aKeyFromTheFutureDoesNotRun() {
		String key = keyOf(Instant.now().plusSeconds(120));
		run(key).assertProblem(412, "key-expired");
		assertThat(executions(key)).isZero();
		assertThat(isStored(key)).isFalse();
		assertThat(run(keyOf(Instant.now().plusSeconds(30))).status()).isEqualTo(201);
	}

	@Test
	void anOldKeyIsReplayedAsLongAsItIsRemembered() {
		Instant sent = Instant.now().minus(TTL).plusSeconds(2);
		String key = keyOf(sent);
		Answer first = run(key);
		assertThat(first.status()).isEqualTo(201);
		await().until(() -> Instant.now().isAfter(sent.plus(TTL)));
		run(key).assertReplayOf(first);
		forget(key);
		run(key).assertProblem(412, "key-expired");
		assertThat(executions(key)).isEqualTo(1);
	}

	@Test
	void aDryRunTells() {
		String old = keyOf(Instant.now().minus(TTL));
		assertThat(this.server.post("/aged").key(old).dryRun().send().effect()).isEqualTo("would_reject");
		String young = keyOf(Instant.now());
		assertThat(this.server.post("/aged").key(young).dryRun().send().effect()).isEqualTo("would_execute");
	}

	/**
	 * It gets old while it waits for an attempt, which fails.
	 */
	@Test
	void aKeyThatGetsOldWhileItWaitsDoesNotRun() {
		Instant sent = Instant.now().minus(TTL).plusSeconds(2);
		String key = keyOf(sent);
		CompletableFuture<Answer> first = CompletableFuture
			.supplyAsync(() -> this.server.post("/aged/failing").key(key).sendAlone());
		Gates gates = this.server.bean(Gates.class);
		gates.await(key + " runs");
		CompletableFuture<Answer> second = CompletableFuture
			.supplyAsync(() -> this.server.post("/aged/failing").key(key).sendAlone());
		await().until(() -> this.server.bean(IdempotencyEngine.class).attemptsWaiting() == 1
				&& Instant.now().isAfter(sent.plus(TTL)));
		gates.open(key);
		assertThat(first.join().status()).isEqualTo(503);
		second.join().assertProblem(412, "key-expired");
		assertThat(executions(key)).isEqualTo(1);
		assertThat(isStored(key)).isFalse();
	}

	/**
	 * Retries before, at and after the moment at which a key is too old. From that moment
	 * on, its record may expire at any time, and does.
	 */
	@Test
	void aRecordThatExpiresNeverLetsItsKeyRunAgain() {
		AtomicInteger replayed = new AtomicInteger();
		long lead = 60;
		for (int round = 0; round < ROUNDS;) {
			Instant old = Instant.now().plusMillis(lead);
			String key = keyOf(old.minus(TTL));
			if (run(key).status() != 201) {
				// The machine was too slow
				lead *= 2;
				continue;
			}
			AtomicInteger sending = new AtomicInteger(SENDERS);
			AtomicInteger side = new AtomicInteger();
			Race.run(SENDERS + 1, () -> {
				if (side.getAndIncrement() == 0) {
					while (sending.get() > 0) {
						if (!Instant.now().isBefore(old)) {
							forget(key);
						}
						pause();
					}
					return true;
				}
				try {
					Answer answer = run(key);
					while (answer.status() != 412) {
						assertThat(answer.status()).isIn(201, 409);
						replayed.addAndGet(answer.isReplay() ? 1 : 0);
						pause();
						answer = run(key);
					}
				}
				finally {
					sending.decrementAndGet();
				}
				return true;
			});
			assertThat(executions(key)).as("round %d", round++).isEqualTo(1);
			assertThat(isStored(key)).isFalse();
		}
		assertThat(replayed).as("some came before").hasPositiveValue();
	}

	private static void pause() {
		LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(500_000));
	}

	private Answer run(String key) {
		return this.server.post("/aged").key(key).send();
	}

	private int executions(String key) {
		return this.server.executions().of(key);
	}

	private boolean isStored(String key) {
		return this.server.bean(IdempotencyEngine.class).find(IdempotencyKey.of("POST /aged", key)).isPresent();
	}

	private void forget(String key) {
		this.server.bean(IdempotencyEngine.class).forget(IdempotencyKey.of("POST /aged", key));
	}

	/**
	 * A UUID of version 7.
	 */
	static String keyOf(Instant time) {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		String millis = "%012x".formatted(time.toEpochMilli());
		return "%s-%s-7%03x-%x-%012x".formatted(millis.substring(0, 8), millis.substring(8), random.nextInt(1 << 12),
				0x8000 | random.nextInt(1 << 14), random.nextLong(1L << 48));
	}

	@RestController
	@Idempotent
	record Endpoints(Executions executions, Gates gates) {

		@PostMapping("/aged")
		ResponseEntity<String> aged(IdempotencyContext context) {
			return ResponseEntity.status(201).body(this.executions.next(context.key().value()));
		}

		@PostMapping("/aged/failing")
		@Idempotent(onConflict = OnConflict.WAIT)
		ResponseEntity<String> failing(IdempotencyContext context) {
			String key = context.key().value();
			this.executions.next(key);
			this.gates.open(key + " runs");
			this.gates.await(key);
			return ResponseEntity.status(503).build();
		}

		@PostMapping("/aged/expression")
		@Idempotent(key = "header('Idempotency-Key')")
		ResponseEntity<String> expression(IdempotencyContext context) {
			return aged(context);
		}

		@PostMapping("/aged/optional")
		@Idempotent(required = false)
		ResponseEntity<String> optional() {
			return ResponseEntity.ok("ran");
		}

	}

}
