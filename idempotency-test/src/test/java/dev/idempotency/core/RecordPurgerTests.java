package dev.idempotency.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.PurgeableStore;
import dev.idempotency.store.StoredResult;
import dev.idempotency.fixtures.DeadlyAppender;
import dev.idempotency.test.MovableClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.idempotency.fixtures.CapturedOutput;
import dev.idempotency.fixtures.OutputCapture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCapture.class)
class RecordPurgerTests {

	private static final PurgeSettings SETTINGS = new PurgeSettings(Duration.ofMinutes(10), 100);

	private static final Duration SHORTEST_INTERVAL = Duration.ofMinutes(9);

	private static final Duration LONGEST_INTERVAL = Duration.ofMinutes(11);

	private final MovableClock clock = new MovableClock(Instant.parse("2026-01-01T00:00:00Z"));

	private final List<Integer> limits = new ArrayList<>();

	private int left;

	private final RecordPurger purger = purger((limit) -> {
		this.limits.add(limit);
		int removed = Math.min(limit, this.left);
		this.left -= removed;
		return removed;
	});

	private RecordPurger purger(IntUnaryOperator purge) {
		return new RecordPurger(new OverdueStore(purge), SETTINGS, this.clock, (task) -> new Thread(() -> {
		}));
	}

	/**
	 * Removes a batch.
	 * @return how long it will be until the next one
	 */
	private Duration purgeBatch(RecordPurger purger) {
		long next = purger.purgeBatch();
		return Duration.ofMillis(next - this.clock.millis());
	}

	@Test
	void removesBatchAfterBatchUntilNothingIsLeft() {
		this.left = 250;
		assertThat(purgeBatch(this.purger)).isLessThan(Duration.ofSeconds(1));
		assertThat(purgeBatch(this.purger)).isLessThan(Duration.ofSeconds(1));
		assertThat(purgeBatch(this.purger)).isBetween(SHORTEST_INTERVAL, LONGEST_INTERVAL);
		assertThat(this.left).isZero();
		assertThat(this.limits).containsExactly(100, 100, 100);
	}

	@Test
	void looksOnceMoreAfterAFullBatch() {
		this.left = 100;
		assertThat(purgeBatch(this.purger)).isLessThan(Duration.ofSeconds(1));
		assertThat(purgeBatch(this.purger)).isBetween(SHORTEST_INTERVAL, LONGEST_INTERVAL);
	}

	@Test
	void restsAsLongAsABatchTook() {
		RecordPurger slow = purger((limit) -> {
			this.clock.advance(Duration.ofSeconds(3));
			return limit;
		});
		assertThat(purgeBatch(slow)).isEqualTo(Duration.ofSeconds(3));
		assertThat(purgeBatch(purger((limit) -> limit))).isEqualTo(Duration.ofMillis(10));
	}

	@Test
	void triesAgainInTheNextRoundWhenTheStoreFails(CapturedOutput output) {
		AtomicInteger rounds = new AtomicInteger();
		RecordPurger failing = purger((limit) -> {
			if (rounds.getAndIncrement() == 0) {
				throw new IllegalStateException("the table is gone");
			}
			return 7;
		});
		assertThat(purgeBatch(failing)).isBetween(SHORTEST_INTERVAL, LONGEST_INTERVAL);
		assertThat(output.toString()).containsOnlyOnce("the table is gone")
			.contains("WARN")
			.doesNotContain("at dev.idempotency");
		assertThat(purgeBatch(failing)).isBetween(SHORTEST_INTERVAL, LONGEST_INTERVAL);
		assertThat(rounds).hasValue(2);
	}

	@Test
	void survivesErrors() {
		RecordPurger failing = purger((limit) -> {
			throw new NoClassDefFoundError("driver");
		});
		assertThat(purgeBatch(failing)).isBetween(SHORTEST_INTERVAL, LONGEST_INTERVAL);
	}

	@Test
	void saysNothingOfAStoreThatFailsAfterItWasClosed(CapturedOutput output) {
		RecordPurger failing = purger((limit) -> {
			throw new IllegalStateException("the pool is closed");
		});
		failing.close();
		purgeBatch(failing);
		assertThat(output).doesNotContain("the pool is closed");
	}

	// Timing

	@Test
	void beginsAfterSomePartOfTheInterval() {
		Random random = new Random(42);
		List<Long> pauses = random.ints(1000).mapToObj((any) -> SETTINGS.firstPause(random)).toList();
		assertThat(pauses).allSatisfy((pause) -> assertThat(pause).isBetween(1L, 600_000L))
			.anySatisfy((pause) -> assertThat(pause).isLessThan(60_000))
			.anySatisfy((pause) -> assertThat(pause).isGreaterThan(540_000));
	}

	@Test
	void goesOnAfterAboutTheInterval() {
		Random random = new Random(42);
		List<Long> pauses = random.ints(1000).mapToObj((any) -> SETTINGS.nextPause(random)).toList();
		assertThat(pauses).allSatisfy((pause) -> assertThat(pause).isBetween(540_000L, 660_000L))
			.anySatisfy((pause) -> assertThat(pause).isLessThan(560_000))
			.anySatisfy((pause) -> assertThat(pause).isGreaterThan(640_000));
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0.000000001S", "PT0.001S", "PT0.009S" })
	void neverGoesOnWithoutAPause(Duration interval) {
		PurgeSettings brief = new PurgeSettings(interval, 1);
		assertThat(brief.firstPause(new Random(1))).isBetween(1L, 9L);
		assertThat(brief.nextPause(new Random(1))).isBetween(1L, 9L);
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT-0.001S", "PT24H0.001S" })
	void refusesAnIntervalThatCannotBeMeant(Duration interval) {
		assertThatIllegalArgumentException().isThrownBy(() -> new PurgeSettings(interval, 1))
			.withMessageContaining("idempotency.purge.interval must be between 0s (never) and 1 day")
			.withMessageContaining("Write a duration such as 10m");
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, 0, 100_001 })
	void refusesABatchThatCannotBeMeant(int batch) {
		assertThatIllegalArgumentException().isThrownBy(() -> new PurgeSettings(Duration.ZERO, batch))
			.withMessageContaining("idempotency.purge.batch must be between 1 and 100000")
			.withMessageContaining("but is " + batch);
	}

	// The thread

	@Test
	void purgesInRealTimeAndStopsWithinABatch() {
		AtomicInteger batches = new AtomicInteger();
		List<Thread> threads = new ArrayList<>();
		CountDownLatch goOn = new CountDownLatch(1);
		RecordPurger real = new RecordPurger(new OverdueStore((limit) -> {
			if (batches.incrementAndGet() == 3) {
				awaitUninterrupted(goOn);
			}
			return limit;
		}), new PurgeSettings(Duration.ofMillis(1), 1), new MonotonicClock(), (task) -> {
			threads.add(new Thread(task));
			return threads.get(0);
		});
		real.start();
		real.start();
		assertThat(threads).hasSize(1);
		await().until(() -> batches.get() == 3);
		threads.get(0).interrupt();
		real.close();
		goOn.countDown();
		await().until(() -> !threads.get(0).isAlive());
		assertThat(batches).hasValue(3);
	}

	private static void awaitUninterrupted(CountDownLatch latch) {
		while (latch.getCount() > 0) {
			try {
				latch.await();
			}
			catch (InterruptedException ex) {
				// The purger's to ignore
			}
		}
	}

	@Test
	void comesBackAfterAnErrorInItsOwnLogging() {
		AtomicInteger batches = new AtomicInteger();
		try (DeadlyAppender logging = new DeadlyAppender(RecordPurger.class, "purger that fails");
				RecordPurger real = new RecordPurger(new OverdueStore((limit) -> {
					batches.incrementAndGet();
					throw new NoClassDefFoundError("as planned");
				}), new PurgeSettings(Duration.ofMillis(1), 1), new MonotonicClock(),
						(task) -> new Thread(task, "purger that fails"))) {
			logging.fail(true);
			real.start();
			await().until(() -> logging.errors() > 0);
			logging.fail(false);
			int before = batches.get();
			await().untilAsserted(() -> assertThat(batches).hasValueGreaterThan(before + 1));
		}
	}

	@Test
	void wakesUpToStop() {
		List<Thread> threads = new ArrayList<>();
		RecordPurger idle = new RecordPurger(new OverdueStore((limit) -> 0), SETTINGS, this.clock, (task) -> {
			threads.add(new Thread(task));
			return threads.get(0);
		});
		idle.start();
		await().until(() -> threads.get(0).getState() == Thread.State.TIMED_WAITING);
		idle.close();
		await().until(() -> !threads.get(0).isAlive());
	}

	@Test
	void hasNoThreadWhereTheIntervalIsZeroOrAfterItWasClosed() {
		List<Runnable> threads = new ArrayList<>();
		PurgeSettings off = new PurgeSettings(Duration.ZERO, 1);
		RecordPurger idle = new RecordPurger(new OverdueStore((limit) -> 0), off, this.clock, (task) -> {
			threads.add(task);
			return new Thread(task);
		});
		idle.start();
		idle.close();
		this.purger.close();
		this.purger.start();
		assertThat(threads).isEmpty();
	}

	/**
	 * A store with records to purge and nothing else.
	 */
	private record OverdueStore(IntUnaryOperator purge) implements PurgeableStore {

		@Override
		public int purge(int limit) {
			return this.purge.applyAsInt(limit);
		}

		@Override
		public ClaimResult claim(IdempotencyKey key, Fingerprint fingerprint, ClaimTerms terms) {
			throw new UnsupportedOperationException();
		}

		@Override
		public boolean renew(Claim claim, Duration lease) {
			throw new UnsupportedOperationException();
		}

		@Override
		public boolean complete(Claim claim, StoredResult result, Duration atLeast) {
			throw new UnsupportedOperationException();
		}

		@Override
		public boolean release(Claim claim) {
			throw new UnsupportedOperationException();
		}

		@Override
		public boolean abandon(Claim claim) {
			throw new UnsupportedOperationException();
		}

	}

}
