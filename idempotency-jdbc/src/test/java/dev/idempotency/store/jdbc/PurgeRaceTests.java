package dev.idempotency.store.jdbc;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.servers.MariaDbServer;
import dev.idempotency.servers.PostgresServer;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;
import dev.idempotency.fixtures.LongRun;
import dev.idempotency.test.Race;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keys whose time is over are claimed again while they are purged.
 */
@Tag("slow")
class PurgeRaceTests {

	private static final int KEYS = 150;

	private static final int PURGED_AT_ONCE = 5;

	private static final Duration MOMENT = Duration.ofMillis(1);

	private static final ClaimTerms SHORT = new ClaimTerms(MOMENT, MOMENT, OnCrash.RETRY, OnReplay.READ);

	private static final ClaimTerms LONG = new ClaimTerms(Duration.ofMinutes(5), Duration.ofHours(1), OnCrash.RETRY,
			OnReplay.READ);

	@Test
	void noClaimVanishesOnH2() {
		assertThat(vanished("jdbc:h2:mem:purge-race;DB_CLOSE_DELAY=-1", LongRun.choose(15, 150))).isZero();
	}

	@Test
	void noClaimVanishesOnHsqldb() {
		assertThat(vanished("jdbc:hsqldb:mem:purge-race;hsqldb.tx=mvcc", LongRun.choose(5, 50))).isZero();
	}

	@Test
	void noClaimVanishesOnSqlite(@TempDir Path folder) {
		String url = "jdbc:sqlite:" + folder.resolve("purge-race.db") + "?journal_mode=WAL&busy_timeout=10000";
		assertThat(vanished(url, LongRun.choose(1, 10))).isZero();
	}

	@Test
	void noClaimVanishesOnPostgres() {
		assertThat(vanished(PostgresServer.shared().newSchema(), LongRun.choose(3, 50))).isZero();
	}

	@Test
	void noClaimVanishesOnMariaDb() {
		assertThat(vanished(MariaDbServer.shared().url(), LongRun.choose(3, 50))).isZero();
	}

	/**
	 * How many claims were granted and then were nobody's.
	 */
	private static int vanished(String url, int rounds) {
		try (HikariDataSource pool = new HikariDataSource()) {
			pool.setJdbcUrl(url);
			JdbcIdempotencyStore store = new JdbcIdempotencyStore(pool, JdbcSettings.defaults());
			store.prepareTable(InitializeSchema.ALWAYS);
			int vanished = 0;
			for (int round = 0; round < rounds; round++) {
				vanished += raceThroughKeys(store);
			}
			return vanished;
		}
	}

	/**
	 * Both begin with what was over first, and so meet again and again.
	 */
	private static int raceThroughKeys(JdbcIdempotencyStore store) {
		List<IdempotencyKey> keys = IntStream.range(0, KEYS).mapToObj((i) -> whoseTimeIsOver(store, i)).toList();
		AtomicInteger roles = new AtomicInteger();
		AtomicInteger next = new AtomicInteger();
		List<Claim> claims = new CopyOnWriteArrayList<>();
		Race.run(4, () -> {
			boolean purges = roles.getAndIncrement() % 2 == 0;
			while (next.get() < KEYS) {
				int number = purges ? KEYS : next.getAndIncrement();
				if (number < KEYS) {
					claims.add(granted(store, keys.get(number), LONG));
				}
				else {
					store.purge(PURGED_AT_ONCE);
				}
			}
			return true;
		});
		assertThat(claims).hasSize(KEYS);
		return (int) claims.stream().filter((claim) -> !store.renew(claim, LONG.lease())).count();
	}

	/**
	 * One half had come to an end, the other half had not.
	 */
	private static IdempotencyKey whoseTimeIsOver(JdbcIdempotencyStore store, int number) {
		IdempotencyKey key = IdempotencyKey.of("purge race", UUID.randomUUID().toString());
		Claim claim = granted(store, key, SHORT);
		if (number % 2 == 0) {
			store.complete(claim, StoredResult.tombstone(), MOMENT);
		}
		return key;
	}

	private static Claim granted(JdbcIdempotencyStore store, IdempotencyKey key, ClaimTerms terms) {
		return ((ClaimResult.Granted) store.claim(key, Fingerprint.none(), terms)).claim();
	}

}
