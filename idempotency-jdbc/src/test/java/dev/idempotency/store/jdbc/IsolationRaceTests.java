package dev.idempotency.store.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.servers.MariaDbServer;
import dev.idempotency.servers.PostgresServer;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.test.Race;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many threads of two instances, whose leases are over nearly at once, whose transactions
 * see the past, and some of whom vanish: for each key one row is committed, with it or
 * not at all.
 */
@Tag("slow")
class IsolationRaceTests {

	private static final Logger logger = LoggerFactory.getLogger(IsolationRaceTests.class);

	private static final int THREADS = 6;

	private static final Duration LEASE = Duration.ofMillis(4);

	private static final Duration TTL = Duration.ofHours(1);

	private static final ClaimTerms TERMS = new ClaimTerms(LEASE, TTL, OnCrash.RETRY, OnReplay.READ);

	private final int keys = LongRun.choose(60, 2000);

	private final AtomicInteger overtaken = new AtomicInteger();

	private final AtomicInteger failed = new AtomicInteger();

	private final AtomicInteger lost = new AtomicInteger();

	@Test
	void onPostgresAtReadCommitted() {
		race(PostgresServer.shared().newSchema(), "TRANSACTION_READ_COMMITTED", "select 1");
	}

	@Test
	void onPostgresAtRepeatableRead() {
		race(PostgresServer.shared().newSchema(), "TRANSACTION_REPEATABLE_READ", "select 1");
	}

	@Test
	void onPostgresAtSerializable() {
		race(PostgresServer.shared().newSchema(), "TRANSACTION_SERIALIZABLE", "select 1");
	}

	@Test
	void onH2AtSerializable() {
		race("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()), "TRANSACTION_SERIALIZABLE", "select 1");
	}

	@Test
	void onMariaDbAtRepeatableRead() {
		race(MariaDbServer.shared().url(), "TRANSACTION_REPEATABLE_READ", "select 1");
	}

	@Test
	void onMariaDbWithSnapshots() {
		race(MariaDbSnapshotIsolationTests.server(), "TRANSACTION_REPEATABLE_READ",
				MariaDbSnapshotIsolationTests.GREETING);
	}

	private void race(String url, String isolation, String greeting) {
		try (HikariDataSource one = pool(url, isolation, greeting);
				HikariDataSource two = pool(url, isolation, greeting)) {
			List<Instance> instances = Stream.of(one, two).map(Instance::new).toList();
			instances.forEach((instance) -> instance.store.prepareTable(InitializeSchema.ALWAYS));
			instances.get(0).jdbc.execute("drop table if exists work");
			instances.get(0).jdbc.execute("create table work (id varchar(50))");
			List<IdempotencyKey> all = IntStream.range(0, this.keys)
				.mapToObj((i) -> IdempotencyKey.of("race", UUID.randomUUID().toString()))
				.toList();
			AtomicInteger next = new AtomicInteger();
			Race.run(THREADS, () -> {
				Instance instance = instances.get(next.getAndIncrement() % 2);
				all.forEach((key) -> workUntilDone(instance, key));
				return true;
			});
			assertThat(instances.get(0).jdbc.queryForList("select id from work", String.class))
				.containsExactlyInAnyOrderElementsOf(all.stream().map(IdempotencyKey::value).toList());
			logger.info("{} at {}: {} overtaken, {} lost, {} failed", url, isolation, this.overtaken, this.lost,
					this.failed);
		}
	}

	private static HikariDataSource pool(String url, String isolation, String greeting) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		pool.setTransactionIsolation(isolation);
		pool.setConnectionInitSql(greeting);
		return pool;
	}

	/**
	 * Until the key is completed, and then the work must be there.
	 */
	private void workUntilDone(Instance instance, IdempotencyKey key) {
		while (true) {
			ClaimResult answer = instance.store.claim(key, Fingerprint.none(), TERMS);
			if (answer instanceof ClaimResult.Granted granted) {
				if (granted.claim().attempt() > 1) {
					this.overtaken.incrementAndGet();
				}
				work(instance, granted.claim());
			}
			else if (((ClaimResult.Refused) answer).record() instanceof IdempotencyRecord.Completed) {
				assertThat(instance.jdbc.queryForList("select id from work where id = ?", String.class, key.value()))
					.hasSize(1);
				return;
			}
		}
	}

	private void work(Instance instance, Claim claim) {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		try {
			instance.transaction.executeWithoutResult((status) -> {
				instance.jdbc.queryForList("select id from work where id = 'nothing'");
				if (random.nextBoolean()) {
					instance.store.renew(claim, LEASE);
				}
				instance.jdbc.update("insert into work (id) values (?)", claim.key().value());
				stall(random);
				boolean completed = random.nextBoolean()
						? instance.store.completeInTransaction(claim, StoredResult.tombstone(), TTL)
						: instance.store.completeInCallersTransaction(claim, StoredResult.tombstone(), TTL);
				if (!completed) {
					this.lost.incrementAndGet();
					status.setRollbackOnly();
				}
				else if (random.nextInt(5) == 0) {
					status.setRollbackOnly();
				}
				stall(random);
			});
		}
		catch (DataAccessException ex) {
			assertThat(isConflict(ex)).as("%s", ex).isTrue();
			this.failed.incrementAndGet();
		}
		if (random.nextInt(4) > 0) {
			instance.store.afterTransaction(claim);
		}
		else if (random.nextBoolean()) {
			instance.store.purge(10);
		}
	}

	/**
	 * Whether a transaction was given up because of another one.
	 */
	private static boolean isConflict(DataAccessException ex) {
		return ex instanceof ConcurrencyFailureException || (ex instanceof UncategorizedSQLException sql
				&& sql.getSQLException() != null && sql.getSQLException().getErrorCode() == 1020);
	}

	private static void stall(ThreadLocalRandom random) {
		if (random.nextInt(3) == 0) {
			LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(8000)));
		}
	}

	/**
	 * One of several.
	 */
	private static final class Instance {

		private final JdbcIdempotencyStore store;

		private final JdbcTemplate jdbc;

		private final TransactionTemplate transaction;

		private Instance(HikariDataSource dataSource) {
			this.store = new JdbcIdempotencyStore(dataSource, JdbcSettings.defaults());
			this.jdbc = new JdbcTemplate(dataSource);
			this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
		}

	}

}
