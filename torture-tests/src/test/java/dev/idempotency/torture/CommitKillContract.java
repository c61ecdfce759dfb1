package dev.idempotency.torture;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import dev.idempotency.servers.PostgresServer;
import dev.idempotency.fixtures.LongRun;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes that are killed before, in and after commits, or stopped there until others
 * have taken their keys over: whatever happens, a row and its record come together.
 */
@Tag("slow")
abstract class CommitKillContract {

	/**
	 * Either a record says so, or what its owner has committed beside it.
	 */
	static final String COMPLETED = "(state > 0 or owner in "
			+ "(select owner from idempotency_record_outcome where result is not null))";

	private static final Logger logger = LoggerFactory.getLogger(CommitKillContract.class);

	private static final int CLIENTS = 6;

	/**
	 * Longer than the lease.
	 */
	private static final int MILLIS_ASLEEP = 2500;

	@TempDir
	private Path folder;

	private final String url = PostgresServer.shared().newSchema();

	private final JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(this.url));

	private final ExecutorService clients = Executors.newCachedThreadPool();

	private final long seed = System.nanoTime();

	private final Random random = new Random(this.seed);

	CommitKillContract() {
	}

	/**
	 * Where requests do the work.
	 */
	abstract String path();

	/**
	 * What is wrong with rows and records: rows without their record, records without
	 * their row, and rows that are there twice.
	 */
	abstract String complaints();

	/**
	 * The texts of the rows of a key, as its answer tells them.
	 */
	abstract String rowsOf(String answer);

	@Test
	void neverSeparatesARowFromItsRecord() throws Exception {
		int kills = LongRun.choose(3, 300);
		this.jdbc.execute("create table payment (idempotency_key varchar(100), step int, text varchar(100))");
		AtomicInteger unanswered = new AtomicInteger();
		AtomicInteger late = new AtomicInteger();
		AtomicInteger rows = new AtomicInteger();
		Instance instance = Instance.launch(this.folder, settings(0));
		try {
			for (int round = 0; round < kills; round++) {
				instance.ready();
				Instance next = Instance.launch(this.folder, settings(round + 1));
				Round requests = new Round("round-%d-".formatted(round), instance);
				List<Future<?>> running = requests.begin();
				Pause.millis(this.random.nextInt(1, 400));
				if (round % 3 == 1) {
					next.ready();
					instance.pause();
					List<Future<?>> retries = requests.retry(next);
					late.addAndGet(retries.size());
					Pause.millis(MILLIS_ASLEEP);
					instance.resume();
					Pause.millis(this.random.nextInt(1, 400));
					running.addAll(retries);
				}
				instance.kill();
				join(running);
				Awaitility.await().atMost(Duration.ofSeconds(30)).until(this::nobodyIsConnectedFromTheDead);
				assertTogether();
				next.ready();
				// Two at a time
				List<Future<?>> retries = requests.retry(next);
				unanswered.addAndGet(retries.size());
				retries.addAll(requests.retry(next));
				join(retries);
				assertTogether();
				assertThat(requests.heard).hasSameSizeAs(requests.asked);
				assertThat(rows()).as("seed %d", this.seed).isEqualTo(requests.heardRows());
				for (String key : requests.heard.keySet().stream().limit(10).toList()) {
					assertThat(next.post(path(), key).body()).isEqualTo(requests.heard.get(key));
				}
				rows.addAndGet(count("select count(*) from payment"));
				this.jdbc.execute("truncate payment, idempotency_record, idempotency_record_outcome");
				instance = next;
			}
		}
		finally {
			instance.close();
			this.clients.shutdownNow();
		}
		logger.info("{}: {} kills, {} rows, {} requests without an answer, {} that were taken over (seed {})",
				getClass().getSimpleName(), kills, rows, unanswered, late, this.seed);
	}

	private static void join(List<Future<?>> all) throws Exception {
		for (Future<?> each : all) {
			each.get();
		}
	}

	/**
	 * Every other process works at the highest isolation.
	 */
	private List<String> settings(int round) {
		String isolation = (round % 2 == 0) ? "TRANSACTION_READ_COMMITTED" : "TRANSACTION_SERIALIZABLE";
		List<String> settings = new ArrayList<>(Torture.onPostgresAt(this.url));
		settings.add("--spring.datasource.hikari.transaction-isolation=" + isolation);
		return settings;
	}

	/**
	 * A transaction ends a moment after its client has died.
	 */
	private boolean nobodyIsConnectedFromTheDead() {
		return count("select count(*) from pg_stat_activity where state like 'idle in transaction%'"
				+ " or (state = 'active' and pid <> pg_backend_pid() and backend_type = 'client backend')") == 0;
	}

	private Map<String, String> rows() {
		Map<String, String> rows = new HashMap<>();
		this.jdbc.query("select idempotency_key, text from payment order by idempotency_key, step", (row) -> {
			rows.merge(row.getString(1), row.getString(2), (one, other) -> one + "," + other);
		});
		return rows;
	}

	private void assertTogether() {
		assertThat(this.jdbc.queryForList(complaints())).as("seed %d", this.seed).isEmpty();
	}

	private int count(String sql, Object... arguments) {
		Integer count = this.jdbc.queryForObject(sql, Integer.class, arguments);
		return (count != null) ? count : -1;
	}

	/**
	 * What clients ask of a process until it is killed.
	 */
	private final class Round {

		private final String name;

		private final Instance doomed;

		private final AtomicInteger number = new AtomicInteger();

		private final Set<String> asked = ConcurrentHashMap.newKeySet();

		private final Map<String, String> heard = new ConcurrentHashMap<>();

		private Round(String name, Instance doomed) {
			this.name = name;
			this.doomed = doomed;
		}

		/**
		 * Begins to ask, and waits for the first answer.
		 */
		private List<Future<?>> begin() {
			List<Future<?>> running = new ArrayList<>();
			for (int i = 0; i < CLIENTS; i++) {
				running.add(CommitKillContract.this.clients.submit(this::askUntilKilled));
			}
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.pollInterval(Duration.ofMillis(5))
				.until(() -> !this.heard.isEmpty());
			return running;
		}

		private Map<String, String> heardRows() {
			return this.heard.entrySet()
				.stream()
				.collect(Collectors.toMap(Map.Entry::getKey, (answered) -> rowsOf(answered.getValue())));
		}

		private void askUntilKilled() {
			while (true) {
				String key = this.name + this.number.incrementAndGet();
				this.asked.add(key);
				try {
					hear(key, this.doomed.post(path(), key));
				}
				catch (IOException ex) {
					return;
				}
			}
		}

		/**
		 * Asks another process for everything that has no answer, as if the first were
		 * dead.
		 */
		private List<Future<?>> retry(Instance next) {
			List<Future<?>> retries = new ArrayList<>();
			for (String key : this.asked) {
				if (!this.heard.containsKey(key)) {
					retries.add(CommitKillContract.this.clients.submit(() -> {
						HttpResponse<String> answer = next.postUntilDone(path(), key);
						assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
						hear(key, answer);
						return null;
					}));
				}
			}
			return retries;
		}

		/**
		 * Whoever is late is told that another attempt is at work.
		 */
		private void hear(String key, HttpResponse<String> answer) {
			assertThat(answer.statusCode()).as(answer.body()).isIn(200, 409);
			if (answer.statusCode() == 200) {
				String before = this.heard.putIfAbsent(key, answer.body());
				assertThat(answer.body()).as(key).isEqualTo((before != null) ? before : answer.body());
			}
		}

	}

}
