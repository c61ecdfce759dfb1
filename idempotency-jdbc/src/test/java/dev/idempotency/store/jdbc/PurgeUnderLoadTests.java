package dev.idempotency.store.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.servers.PostgresServer;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;
import dev.idempotency.fixtures.LongRun;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A large purge by two instances while requests run.
 */
class PurgeUnderLoadTests {

	private static final Logger logger = LoggerFactory.getLogger(PurgeUnderLoadTests.class);

	private static final ClaimTerms TERMS = new ClaimTerms(Duration.ofSeconds(30), Duration.ofHours(1), OnCrash.RETRY,
			OnReplay.READ);

	@Test
	void removesWhatIsOverWhileRequestsGoOn() throws Exception {
		int expired = LongRun.choose(20_000, 1_000_000);
		try (HikariDataSource dataSource = new HikariDataSource()) {
			dataSource.setJdbcUrl(PostgresServer.shared().newSchema());
			JdbcIdempotencyStore store = new JdbcIdempotencyStore(dataSource, JdbcSettings.defaults());
			store.prepareTable(InitializeSchema.ALWAYS);
			JdbcTemplate jdbc = new JdbcTemplate(dataSource);
			fill(jdbc, expired);
			String size = jdbc.queryForObject("select pg_size_pretty(pg_total_relation_size('idempotency_record'))",
					String.class);
			AtomicBoolean purging = new AtomicBoolean(true);
			AtomicLong slowestRequest = new AtomicLong();
			AtomicLong requests = new AtomicLong();
			AtomicLong slowestBatch = new AtomicLong();
			ExecutorService threads = Executors.newCachedThreadPool();
			List<Future<?>> load = IntStream.range(0, 4).<Future<?>>mapToObj((i) -> threads.submit(() -> {
				while (purging.get()) {
					slowest(slowestRequest, () -> request(store));
					requests.incrementAndGet();
				}
			})).toList();
			long start = System.nanoTime();
			List<Future<Integer>> purges = IntStream.range(0, 2)
				.mapToObj((i) -> threads.submit(() -> purge(store, slowestBatch)))
				.toList();
			int removed = 0;
			for (Future<Integer> purge : purges) {
				removed += purge.get();
			}
			long millis = (System.nanoTime() - start) / 1_000_000;
			purging.set(false);
			for (Future<?> each : load) {
				each.get();
			}
			threads.shutdown();
			assertThat(removed).isEqualTo(expired);
			assertThat(jdbc.queryForObject("select count(*) from idempotency_record", Long.class))
				.isEqualTo(requests.get());
			logger.info(
					"{} expired rows ({}) purged in {} ms, slowest batch {} ms; meanwhile {} requests, slowest {} ms",
					expired, size, millis, slowestBatch.get() / 1_000_000, requests, slowestRequest.get() / 1_000_000);
		}
	}

	private static void fill(JdbcTemplate jdbc, int rows) {
		jdbc.update("insert into idempotency_record (id, namespace, operation, idempotency_key, state, attempt, owner, "
				+ "fingerprint, created_at, ends_at, expires_at, result) "
				+ "select sha256(i::text::bytea), 'shop', 'POST /pay', i::text, 1, 1, 1, sha256('f'), "
				+ "now() - interval '2 days', now() - interval '2 days', "
				+ "now() - interval '1 day' + i * interval '1 millisecond', decode(repeat('ab', 200), 'hex') "
				+ "from generate_series(1, ?) i", rows);
	}

	private static int purge(JdbcIdempotencyStore store, AtomicLong slowestBatch) {
		int removed = 0;
		int[] batch = { 1000 };
		while (batch[0] == 1000) {
			slowest(slowestBatch, () -> batch[0] = store.purge(1000));
			removed += batch[0];
		}
		return removed;
	}

	private static void request(JdbcIdempotencyStore store) {
		IdempotencyKey key = IdempotencyKey.of("POST /pay", UUID.randomUUID().toString());
		Claim claim = ((ClaimResult.Granted) store.claim(key, Fingerprint.none(), TERMS)).claim();
		assertThat(store.complete(claim, StoredResult.of(new byte[200]), TERMS.ttl())).isTrue();
	}

	private static void slowest(AtomicLong slowest, Runnable work) {
		long start = System.nanoTime();
		work.run();
		slowest.accumulateAndGet(System.nanoTime() - start, Math::max);
	}

}
