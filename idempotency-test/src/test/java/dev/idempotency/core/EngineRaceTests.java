package dev.idempotency.core;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Reason;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.fixtures.MemoryStores;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.memory.MemoryLimits;
import dev.idempotency.test.Race;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static dev.idempotency.core.EngineFixture.bytes;
import static dev.idempotency.core.EngineFixture.replayed;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Duplicates in real time, on real threads, staggered around the moment of completion.
 */
class EngineRaceTests {

	private static final int DUPLICATES = 12;

	private static final int ROUNDS = LongRun.choose(300, 20_000);

	private final IdempotencyEngine engine = new IdempotencyEngine(
			MemoryStores.with(new MemoryLimits(100_000, 64 << 20), new MonotonicClock()), EngineSettings.of("shop"),
			new MonotonicClock(), List.of());

	@AfterEach
	void close() {
		this.engine.close();
	}

	@Test
	void runsOnceWhateverTheTimingOfItsDuplicates() {
		OperationPolicy policy = OperationPolicy.of(Duration.ofHours(1), Duration.ofSeconds(30));
		for (int round = 0; round < ROUNDS; round++) {
			Work work = new Work(round, 0);
			List<String> answers = Race.run(DUPLICATES, () -> work.ask(policy));
			assertThat(work.runs).as("round %d", round).hasValue(1);
			assertThat(answers).containsOnlyOnce("executed").isSubsetOf("executed", "in progress", "replayed");
			assertThat(replayed(this.engine.begin(work.attempt(policy)))).isEqualTo("paid");
		}
	}

	@Test
	void answersEveryDuplicateThatWaits() {
		OperationPolicy policy = OperationPolicy.of(Duration.ofHours(1), Duration.ofSeconds(30))
			.withPatience(Duration.ofSeconds(60));
		for (int round = 0; round < ROUNDS; round++) {
			Work work = new Work(round, 0);
			List<String> answers = Race.run(DUPLICATES, () -> work.ask(policy));
			assertThat(work.runs).as("round %d", round).hasValue(1);
			assertThat(answers).containsOnlyOnce("executed").containsOnly("executed", "replayed");
		}
	}

	@Test
	void runsAgainOnlyAfterAFailureAndNeverTwiceAtOnce() {
		OperationPolicy policy = OperationPolicy.of(Duration.ofHours(1), Duration.ofSeconds(30))
			.withPatience(Duration.ofSeconds(60));
		for (int round = 0; round < ROUNDS; round++) {
			Work work = new Work(round, 3);
			List<String> answers = Race.run(DUPLICATES, () -> work.ask(policy));
			assertThat(work.runs).as("three failures and a success, round %d", round).hasValue(4);
			assertThat(answers).containsOnlyOnce("executed").contains("failed", "failed", "failed", "replayed");
		}
	}

	/**
	 * Work of one key that takes a moment, fails a few times, and notices when it runs
	 * twice at once.
	 */
	private final class Work {

		private final IdempotencyKey key;

		private final int failures;

		private final AtomicInteger runs = new AtomicInteger();

		private final AtomicInteger running = new AtomicInteger();

		private Work(int round, int failures) {
			this.key = IdempotencyKey.of("pay", "round " + round);
			this.failures = failures;
		}

		private Attempt attempt(OperationPolicy policy) {
			return new Attempt(this.key, Fingerprint.none(), policy);
		}

		private String ask(OperationPolicy policy) {
			pause(200);
			Decision decision = EngineRaceTests.this.engine.begin(attempt(policy));
			if (decision instanceof Decision.Proceed proceed) {
				return run(proceed.execution());
			}
			if (decision instanceof Decision.Replay) {
				return replayed(decision).equals("paid") ? "replayed" : "replayed something else";
			}
			return (decision.reason() == Reason.IN_PROGRESS) ? "in progress" : decision.toString();
		}

		private String run(Execution execution) {
			try (execution) {
				assertThat(this.running.incrementAndGet()).as("running at once").isEqualTo(1);
				boolean fails = this.runs.incrementAndGet() <= this.failures;
				pause(100);
				this.running.decrementAndGet();
				if (fails) {
					return "failed";
				}
				assertThat(execution.complete(bytes("paid"))).isEqualTo(Completion.stored(true));
				return "executed";
			}
		}

		/**
		 * Long enough to let others in.
		 */
		private static void pause(int maxMicros) {
			LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextInt(1, maxMicros)));
		}

	}

}
