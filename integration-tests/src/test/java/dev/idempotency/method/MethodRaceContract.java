package dev.idempotency.method;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.OperationInProgressException;
import dev.idempotency.autoconfigure.IdempotencyJdbcAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyRedisAutoConfiguration;
import dev.idempotency.servers.PostgresServer;
import dev.idempotency.servers.RedisServerProcess;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.redis.RedisIdempotencyStore;
import dev.idempotency.fixtures.LongRun;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A storm of retries of one bean's method, on many threads at once.
 */
@Tag("once")
abstract class MethodRaceContract {

	private static final int THREADS = 64;

	private static final String IN_PROGRESS = "in progress";

	MethodRaceContract() {
	}

	/**
	 * What makes the threads that call the method.
	 */
	abstract ThreadFactory threads();

	/**
	 * Storms at one key after the other.
	 */
	void storm(int rounds, Round round) throws Exception {
		for (int i = 0; i < rounds; i++) {
			round.at(UUID.randomUUID().toString());
		}
	}

	@ParameterizedTest
	@EnumSource
	void givesEveryRetryThatWaitsTheResultOfTheOneExecution(Place place) {
		place.run((till) -> storm(place.rounds, (id) -> {
			List<String> answers = all(() -> till.pay(id));
			assertThat(new HashSet<>(answers)).hasSize(1);
			assertThat(till.receipts(id)).containsExactly(answers.get(0));
		}));
	}

	@ParameterizedTest
	@EnumSource
	void givesEveryRetryTheResultOfTheOneExecutionOrSaysThatItRuns(Place place) {
		place.run((till) -> storm(place.rounds, (id) -> {
			Set<String> answers = new HashSet<>(all(() -> {
				try {
					return till.payOrBeRejected(id);
				}
				catch (OperationInProgressException ex) {
					return IN_PROGRESS;
				}
			}));
			answers.remove(IN_PROGRESS);
			assertThat(answers).hasSize(1);
			assertThat(till.receipts(id)).containsExactlyElementsOf(answers);
			assertThat(till.payOrBeRejected(id)).isIn(answers);
		}));
	}

	private List<String> all(Callable<String> call) throws Exception {
		CyclicBarrier start = new CyclicBarrier(THREADS);
		List<FutureTask<String>> calls = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			FutureTask<String> task = new FutureTask<>(() -> {
				start.await();
				return call.call();
			});
			calls.add(task);
			threads().newThread(task).start();
		}
		List<String> answers = new ArrayList<>();
		for (FutureTask<String> task : calls) {
			answers.add(task.get(120, TimeUnit.SECONDS));
		}
		return answers;
	}

	/**
	 * Where keys are remembered.
	 */
	enum Place {

		MEMORY(InMemoryIdempotencyStore.class, LongRun.choose(100, 10_000)) {
			@Override
			ApplicationContextRunner runner() {
				return MethodRunner.plain().withPropertyValues("idempotency.store=memory");
			}
		},

		POSTGRES(JdbcIdempotencyStore.class, LongRun.choose(10, 500)) {
			@Override
			ApplicationContextRunner runner() {
				return MethodRunner.plain()
					.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
							IdempotencyJdbcAutoConfiguration.class))
					.withPropertyValues("spring.datasource.url=" + PostgresServer.shared().newSchema(),
							"idempotency.jdbc.initialize-schema=always");
			}
		},

		REDIS(RedisIdempotencyStore.class, LongRun.choose(10, 500)) {
			@Override
			ApplicationContextRunner runner() {
				return MethodRunner.plain()
					.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class,
							IdempotencyRedisAutoConfiguration.class))
					.withPropertyValues("spring.data.redis.port=" + Redis.SERVER.port(),
							"spring.data.redis.timeout=5s");
			}
		};

		private final Class<? extends IdempotencyStore> store;

		private final int rounds;

		Place(Class<? extends IdempotencyStore> store, int rounds) {
			this.store = store;
			this.rounds = rounds;
		}

		abstract ApplicationContextRunner runner();

		/**
		 * Runs an application there.
		 */
		void run(Visit visit) {
			runner().withBean(Till.class).withPropertyValues("idempotency.wait-timeout=60s").run((context) -> {
				assertThat(context).getBean(IdempotencyStore.class).isInstanceOf(this.store);
				visit.to(context.getBean(Till.class));
			});
		}

	}

	@FunctionalInterface
	interface Round {

		void at(String id) throws Exception;

	}

	@FunctionalInterface
	interface Visit {

		void to(Till till) throws Exception;

	}

	/**
	 * Ends with the process.
	 */
	private static final class Redis {

		private static final RedisServerProcess SERVER = RedisServerProcess.start();

	}

	static class Till {

		private final Map<String, List<String>> receipts = new ConcurrentHashMap<>();

		@Idempotent(key = "#id", onConflict = OnConflict.WAIT)
		public String pay(String id) {
			return receipt(id);
		}

		@Idempotent(key = "#id")
		public String payOrBeRejected(String id) {
			return receipt(id);
		}

		/**
		 * Those of all executions.
		 */
		List<String> receipts(String id) {
			return this.receipts.getOrDefault(id, List.of());
		}

		private String receipt(String id) {
			String receipt = UUID.randomUUID().toString();
			this.receipts.merge(id, List.of(receipt), (one, other) -> {
				List<String> both = new ArrayList<>(one);
				both.addAll(other);
				return both;
			});
			// Long enough to let others in
			LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextInt(1, 2000)));
			return receipt;
		}

	}

}
