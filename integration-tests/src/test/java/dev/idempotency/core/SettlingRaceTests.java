package dev.idempotency.core;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.Reason;
import dev.idempotency.Settlement;
import dev.idempotency.fixtures.MemoryStores;
import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.store.InspectableStore;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.StoredResult;
import dev.idempotency.store.jdbc.InitializeSchema;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import dev.idempotency.store.jdbc.JdbcSettings;
import dev.idempotency.store.memory.MemoryLimits;
import dev.idempotency.store.redis.RedisIdempotencyStore;
import dev.idempotency.test.Race;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An attempt seems to have vanished; it comes back late, others take its key over, and
 * people settle it both ways, all at once.
 */
class SettlingRaceTests {

	private static final Duration LEASE = Duration.ofMinutes(5);

	private static final OperationPolicy POLICY = OperationPolicy.of(Duration.ofHours(1), LEASE);

	private static final OperationPolicy SHORT = OperationPolicy.of(Duration.ofHours(1), Duration.ofMillis(1));

	@Test
	void inMemory() {
		race(MemoryStores.with(new MemoryLimits(100_000, 1 << 26), new MonotonicClock()), 2000);
	}

	@Test
	void inADatabase() {
		JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:settling;DB_CLOSE_DELAY=-1", "sa", "");
		pool.setMaxConnections(10);
		JdbcIdempotencyStore store = new JdbcIdempotencyStore(pool, JdbcSettings.defaults());
		store.prepareTable(InitializeSchema.ALWAYS);
		race(store, 300);
		pool.dispose();
	}

	@Test
	void inRedis() {
		RedisServerProcess server = RedisServerProcess.start();
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", server.port()));
		factory.afterPropertiesSet();
		factory.start();
		try (server; RedisIdempotencyStore store = new RedisIdempotencyStore(factory, "idempotency:", 0)) {
			race(store, 500);
		}
		finally {
			factory.destroy();
		}
	}

	private static void race(InspectableStore store, int rounds) {
		try (IdempotencyEngine engine = new IdempotencyEngine(store, EngineSettings.of("shop"), new MonotonicClock(),
				List.of())) {
			int settled = 0;
			for (int round = 0; round < rounds; round++) {
				settled += new Round(engine, IdempotencyKey.of("pay", "key-" + round).within("shop"), round).run();
			}
			assertThat(settled).as("rounds in which someone settled the key").isBetween(rounds / 5, rounds);
		}
	}

	/**
	 * One key, and all who want it.
	 */
	private static final class Round {

		private final IdempotencyEngine engine;

		private final IdempotencyKey key;

		private final int number;

		private final boolean isLeftToPeople;

		private final AtomicInteger settled = new AtomicInteger();

		/**
		 * How many hold the key at the same time.
		 */
		private final AtomicInteger holding = new AtomicInteger();

		private final ConcurrentLinkedQueue<String> faults = new ConcurrentLinkedQueue<>();

		private final ConcurrentLinkedQueue<String> answers = new ConcurrentLinkedQueue<>();

		private Round(IdempotencyEngine engine, IdempotencyKey key, int number) {
			this.engine = engine;
			this.key = key;
			this.number = number;
			this.isLeftToPeople = number % 5 == 0;
		}

		private int run() {
			Execution late = proceed(begin(SHORT));
			late.letLeaseRunOut();
			awaitAbandoned();
			List<Runnable> all = new ArrayList<>();
			// Or it has vanished for good, and nobody may take its key over
			if (!this.isLeftToPeople) {
				all.add(() -> {
					lookFirst();
					finish(late, "late");
				});
			}
			all.add(() -> takeOver("second"));
			all.add(() -> takeOver("third"));
			// Each alone, and both
			if (this.number % 3 != 1) {
				all.add(() -> settle(new Conclusion.Done(StoredResult.of(bytes("given")))));
			}
			if (this.number % 3 != 0) {
				all.add(() -> settle(new Conclusion.NotDone()));
			}
			// Whoever is the first to run has the best chances
			Collections.shuffle(all, new Random(this.number));
			AtomicInteger next = new AtomicInteger();
			Race.run(all.size(), () -> {
				all.get(next.getAndIncrement()).run();
				return true;
			});
			assertThat(this.faults).as("round %d", this.number).isEmpty();
			// Whatever was answered is what everyone gets from now on
			Decision end = begin(POLICY);
			if (end instanceof Decision.Proceed proceed) {
				assertThat(this.answers).as("round %d, nothing is stored", this.number).isEmpty();
				proceed.execution().close();
			}
			else {
				String stored = text(end);
				assertThat(this.answers).as("round %d", this.number).isNotEmpty().containsOnly(stored);
			}
			return this.settled.get();
		}

		private void awaitAbandoned() {
			while (begin(SHORT.withOnCrash(OnCrash.REFUSE)).reason() != Reason.OUTCOME_UNKNOWN) {
				Thread.onSpinWait();
			}
		}

		/**
		 * As those do who settle, who would always be too late otherwise.
		 */
		private void lookFirst() {
			if (this.number % 2 == 0) {
				this.engine.find(this.key);
			}
		}

		private void takeOver(String name) {
			lookFirst();
			if (begin(this.isLeftToPeople ? POLICY.withOnCrash(OnCrash.REFUSE)
					: POLICY) instanceof Decision.Proceed proceed) {
				if (this.holding.incrementAndGet() > 1) {
					this.faults.add(name + " holds a key that another one holds");
				}
				Thread.onSpinWait();
				this.holding.decrementAndGet();
				finish(proceed.execution(), name);
			}
		}

		private void finish(Execution execution, String name) {
			Completion completion = execution.complete(bytes(name));
			if (completion.kind() == Completion.Kind.STORED) {
				this.answers.add(name);
			}
			else if (completion.kind() == Completion.Kind.SUPERSEDED) {
				if (!name.equals("late")) {
					this.faults.add(name + " lost a key whose lease lasts: it was freed under it");
				}
				else if (completion.answer() instanceof Decision.Replay replay) {
					this.answers.add(text(replay));
				}
			}
			else {
				this.faults.add(name + " ended with " + completion);
			}
		}

		private void settle(Conclusion conclusion) {
			if (this.engine.records().settle(this.key, POLICY, conclusion) == Settlement.SETTLED) {
				this.settled.set(1);
				if (conclusion instanceof Conclusion.Done) {
					this.answers.add("given");
				}
			}
		}

		private Decision begin(OperationPolicy policy) {
			return this.engine.begin(new Attempt(this.key, Fingerprint.none(), policy));
		}

		private static Execution proceed(Decision decision) {
			return ((Decision.Proceed) decision).execution();
		}

		private static String text(Decision decision) {
			return StandardCharsets.UTF_8.decode(((Decision.Replay) decision).result().payload()).toString();
		}

		private static byte[] bytes(String text) {
			return text.getBytes(StandardCharsets.UTF_8);
		}

	}

}
