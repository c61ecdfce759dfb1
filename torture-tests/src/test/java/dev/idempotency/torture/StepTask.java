package dev.idempotency.torture;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnConflict;
import dev.idempotency.ResultType;
import dev.idempotency.call.Calls;
import dev.idempotency.call.IdempotencyTemplate;
import dev.idempotency.call.ResultCodec;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.NamedOperations;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import dev.idempotency.store.jdbc.JdbcSettings;
import dev.idempotency.store.redis.RedisIdempotencyStore;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Tasks of ten steps, in a process of its own, which may be killed. It is told on its
 * standard input which tasks to do, and says on its standard output how far it is.
 */
final class StepTask {

	static final int STEPS = 10;

	static final String READY = "> ready";

	static final String BEGAN = "> began";

	static final String DONE = "> done ";

	private static final Duration LEASE = Duration.ofSeconds(1);

	private final String worker;

	private final StepLedger ledger;

	private final Idempotency idempotency;

	private StepTask(String worker, StepLedger ledger, Idempotency idempotency) {
		this.worker = worker;
		this.ledger = ledger;
		this.idempotency = idempotency;
	}

	public static void main(String[] args) throws IOException {
		LoggingSystem.get(StepTask.class.getClassLoader()).setLogLevel(LoggingSystem.ROOT_LOGGER_NAME, LogLevel.WARN);
		IdempotencyStore store = args[2].startsWith("jdbc:") ? onPostgres(args[2]) : onRedis(Integer.parseInt(args[2]));
		MonotonicClock clock = new MonotonicClock();
		IdempotencyEngine engine = new IdempotencyEngine(store, EngineSettings.of("torture"), clock, List.of());
		Calls calls = new Calls(engine, new ResultCodec(JsonMapper.shared()), clock);
		Idempotency idempotency = new IdempotencyTemplate(calls, OperationPolicy.of(Duration.ofHours(1), LEASE),
				Duration.ofSeconds(60), NamedOperations.none())
			.withOnConflict(OnConflict.WAIT);
		try (StepLedger ledger = new StepLedger(args[1])) {
			StepTask tasks = new StepTask(args[0], ledger, idempotency);
			tasks.warmUp();
			System.out.println(READY);
			BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
			for (String task = input.readLine(); task != null; task = input.readLine()) {
				System.out.println(DONE + String.join(" ", tasks.run(task)));
			}
		}
		// Whoever started us is gone
		Runtime.getRuntime().halt(0);
	}

	private static IdempotencyStore onPostgres(String url) {
		HikariDataSource dataSource = new HikariDataSource();
		dataSource.setJdbcUrl(url);
		dataSource.setMaximumPoolSize(3);
		return new JdbcIdempotencyStore(dataSource, JdbcSettings.defaults());
	}

	private static IdempotencyStore onRedis(int port) {
		LettuceConnectionFactory connectionFactory = new LettuceConnectionFactory("localhost", port);
		connectionFactory.afterPropertiesSet();
		connectionFactory.start();
		return new RedisIdempotencyStore(connectionFactory, "idempotency:", 0);
	}

	/**
	 * So that a kill does not nearly always hit the first step.
	 */
	private void warmUp() {
		this.ledger.find("warm-up", 0);
		String key = "warm-up of " + this.worker;
		this.idempotency.execute(IdempotencyKey.of("warm-up", key),
				() -> IdempotencyContext.current().steps().run("only", String.class, () -> key));
	}

	private List<String> run(String task) {
		return this.idempotency.execute(IdempotencyKey.of("task", task), new ResultType<List<String>>() {
		}, () -> {
			System.out.println(BEGAN);
			List<String> results = new ArrayList<>();
			for (int i = 0; i < STEPS; i++) {
				int step = i;
				String result = IdempotencyContext.current()
					.steps()
					.run("step-" + step, String.class, () -> step(task, step));
				this.ledger.returned(this.worker, task, step, result);
				results.add(result);
				pause(10);
			}
			return results;
		});
	}

	/**
	 * Looks before it acts, if an attempt at this very step has vanished.
	 */
	private String step(String task, int step) {
		IdempotencyContext context = IdempotencyContext.current();
		this.ledger.started(this.worker, task, step, context.attempt());
		pause(50);
		List<String> found = context.mayHaveRun() ? this.ledger.find(task, step) : List.of();
		if (!found.isEmpty()) {
			return found.get(0);
		}
		String result = UUID.randomUUID().toString();
		this.ledger.append(task, step, result);
		pause(50);
		return result;
	}

	private static void pause(int maxMillis) {
		Pause.millis(ThreadLocalRandom.current().nextInt(maxMillis));
	}

}
