package dev.idempotency.torture;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

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
 * Processes that are killed before, in and after the commit of handlers that are
 * {@code transactional}: whatever happens, a row and its key come together.
 */
@Tag("slow")
class TransactionalKillTests {

	private static final Logger logger = LoggerFactory.getLogger(TransactionalKillTests.class);

	private static final int CLIENTS = 6;

	/**
	 * Either a record says so, or what its owner has committed beside it.
	 */
	private static final String COMPLETED = "(state > 0 or owner in "
			+ "(select owner from idempotency_record_outcome where result is not null))";

	@TempDir
	private Path folder;

	private final String url = PostgresServer.shared().newSchema();

	private final JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(this.url));

	@Test
	void neverSeparatesARowFromItsKey() throws Exception {
		int kills = LongRun.choose(3, 300);
		long seed = System.nanoTime();
		Random random = new Random(seed);
		this.jdbc.execute("create table payment (idempotency_key varchar(100), text varchar(100))");
		ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
		AtomicInteger unanswered = new AtomicInteger();
		AtomicInteger doneUnheard = new AtomicInteger();
		Instance instance = Instance.launch(this.folder, settings(0));
		try {
			for (int round = 0; round < kills; round++) {
				instance.ready();
				Instance next = Instance.launch(this.folder, settings(round + 1));
				Map<String, String> heard = new ConcurrentHashMap<>();
				Queue<String> unheard = new ConcurrentLinkedQueue<>();
				String name = "round-%d-".formatted(round);
				payUntilKilled(instance, name, random.nextInt(1, 400), clients, heard, unheard);
				unanswered.addAndGet(unheard.size());
				Awaitility.await().atMost(Duration.ofSeconds(30)).until(this::nobodyIsConnectedFromTheDead);
				assertTogether(seed);
				doneUnheard.addAndGet(completed(unheard));
				next.ready();
				for (String key : unheard) {
					HttpResponse<String> answer = next.postUntilDone("/pay", key);
					assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
				}
				for (Map.Entry<String, String> answered : heard.entrySet()) {
					assertThat(next.post("/pay", answered.getKey()).body()).isEqualTo(answered.getValue());
				}
				assertTogether(seed);
				int keys = heard.size() + unheard.size();
				assertThat(count("select count(*) from payment where idempotency_key like ?", name + "%"))
					.as("one row for each of %d keys (seed %d)", keys, seed)
					.isEqualTo(keys);
				instance = next;
			}
		}
		finally {
			instance.close();
			clients.shutdownNow();
		}
		logger.info("{} kills, {} payments, {} requests without an answer, of which {} had been committed (seed {})",
				kills, count("select count(*) from payment"), unanswered, doneUnheard, seed);
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

	private static void payUntilKilled(Instance doomed, String name, int millis, ExecutorService clients,
			Map<String, String> heard, Queue<String> unheard) throws Exception {
		AtomicInteger number = new AtomicInteger();
		List<Future<?>> running = IntStream.range(0, CLIENTS).<Future<?>>mapToObj((i) -> clients.submit(() -> {
			while (true) {
				String key = name + number.incrementAndGet();
				try {
					HttpResponse<String> answer = doomed.post("/pay", key);
					assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
					heard.put(key, answer.body());
				}
				catch (IOException ex) {
					unheard.add(key);
					return;
				}
			}
		})).toList();
		Awaitility.await()
			.atMost(Duration.ofSeconds(60))
			.pollInterval(Duration.ofMillis(5))
			.until(() -> !heard.isEmpty());
		Pause.millis(millis);
		doomed.kill();
		for (Future<?> each : running) {
			each.get();
		}
	}

	/**
	 * A transaction ends a moment after its client has died.
	 */
	private boolean nobodyIsConnectedFromTheDead() {
		return count("select count(*) from pg_stat_activity where state like 'idle in transaction%'"
				+ " or (state = 'active' and pid <> pg_backend_pid() and backend_type = 'client backend')") == 0;
	}

	private void assertTogether(long seed) {
		assertThat(
				this.jdbc.queryForList("select coalesce(p.idempotency_key, r.idempotency_key) as key, p.times, r.owner "
						+ "from (select idempotency_key, count(*) as times from payment group by idempotency_key) p "
						+ "full outer join (select * from idempotency_record where " + COMPLETED + ") r "
						+ "on p.idempotency_key = r.idempotency_key "
						+ "where p.times is null or p.times > 1 or r.owner is null"))
			.as("rows without their key, keys without their row, and rows that are there twice (seed %d)", seed)
			.isEmpty();
	}

	private int completed(Queue<String> keys) {
		return (int) keys.stream()
			.filter((key) -> count(
					"select count(*) from idempotency_record where " + COMPLETED + " and idempotency_key = ?",
					key) == 1)
			.count();
	}

	private int count(String sql, Object... arguments) {
		Integer count = this.jdbc.queryForObject(sql, Integer.class, arguments);
		return (count != null) ? count : -1;
	}

}
