package dev.idempotency.store.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.servers.PostgresServer;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.StoredResult;
import dev.idempotency.test.StoreTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.awaitility.Awaitility.await;

/**
 * How many rows each statement reads while the statistics of the tables are missing, old
 * or wrong. Time says nothing: a plan that reads a table for each row is quick in a small
 * one.
 */
class PostgresPlansTests {

	private static final int RECORDS = 40_000;

	private static final int FENCES = 10_000;

	private static final int BATCH = 1000;

	/**
	 * What a statement reads at most that names a key.
	 */
	private static final int FEW = 30;

	private static final Duration MOMENT = Duration.ofMillis(1);

	private static final Duration LEASE = Duration.ofMinutes(1);

	private static final Duration TTL = Duration.ofHours(1);

	private static final StoredResult RESULT = StoredResult.of(new byte[100]);

	private static final List<String> TABLES = List.of("idempotency_record", "idempotency_record_outcome");

	/**
	 * One connection, which can say what it has read. No statement takes longer, however
	 * bad its plan.
	 */
	private final SingleConnectionDataSource dataSource = new SingleConnectionDataSource(
			PostgresServer.shared().newSchema() + "&options=-c%20statement_timeout=10000", true);

	private final JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);

	private final JdbcIdempotencyStore store = new JdbcIdempotencyStore(this.dataSource, JdbcSettings.defaults());

	private final TransactionTemplate transaction = new TransactionTemplate(
			new DataSourceTransactionManager(this.dataSource));

	@AfterEach
	void close() {
		TABLES.forEach((table) -> this.jdbc.execute("drop table " + table));
		this.dataSource.destroy();
	}

	/**
	 * What the server believes of the tables.
	 */
	enum Statistics {

		NONE, OF_EMPTY_TABLES, OF_TABLES_WITH_DELETED_ROWS, OF_SMALL_TABLES

	}

	private void prepare(Statistics statistics) {
		this.store.prepareTable(InitializeSchema.ALWAYS);
		TABLES.forEach((table) -> this.jdbc.execute("alter table " + table + " set (autovacuum_enabled = off)"));
		if (statistics == Statistics.OF_SMALL_TABLES || statistics == Statistics.OF_TABLES_WITH_DELETED_ROWS) {
			fill(-100, -1, 50);
		}
		if (statistics == Statistics.OF_TABLES_WITH_DELETED_ROWS) {
			TABLES.forEach((table) -> this.jdbc.update("delete from " + table));
		}
		if (statistics != Statistics.NONE) {
			TABLES.forEach((table) -> this.jdbc.execute("analyze " + table));
		}
		fill(1, RECORDS, FENCES);
	}

	/**
	 * One half is expired, and one in 200 is in progress.
	 */
	private void fill(int first, int last, int fences) {
		this.jdbc.update("insert into idempotency_record (id, namespace, operation, idempotency_key, state, attempt, "
				+ "owner, fingerprint, created_at, ends_at, expires_at, result) "
				+ "select sha256(i::text::bytea), 'shop', 'POST /pay', i::text, case when i % 200 = 0 then 0 else 1 end, "
				+ "1, i, sha256('f'), now() - interval '2 days', now() - interval '2 days', "
				+ "now() + case i % 2 when 0 then -1 else 1 end * interval '1 day', decode(repeat('01', 200), 'hex') "
				+ "from generate_series(?, ?) i", first, last);
		this.jdbc.update("insert into idempotency_record_outcome (owner, id, completed_at, expires_at) "
				+ "select i::bigint * 1000000, sha256(i::text::bytea), now(), now() + interval '1 hour' "
				+ "from generate_series(?, ?) i", first, first + fences - 1);
	}

	@ParameterizedTest
	@EnumSource(Statistics.class)
	void whatNamesAKeyReadsNothingElse(Statistics statistics) {
		prepare(statistics);
		IdempotencyKey key = newKey();
		Claim first = granted(key, LEASE, TTL);
		reads(FEW, () -> this.store.claim(key, Fingerprint.none(), terms(OnReplay.READ)));
		reads(FEW, () -> this.store.renew(first, LEASE));
		reads(FEW, () -> this.store.complete(first, RESULT, TTL));
		Stream.of(OnReplay.values())
			.forEach((replay) -> reads(FEW, () -> this.store.claim(key, Fingerprint.none(), terms(replay))));
		reads(FEW, () -> this.store.find(key));
		reads(FEW, () -> this.store.find(RecordId.of(key)));
		reads(FEW, () -> this.store.forget(key));
		Claim released = granted(key, LEASE, TTL);
		reads(FEW, () -> this.store.release(released));
		granted(key, MOMENT, TTL);
		StoreTime.real().pass(MOMENT.multipliedBy(5));
		reads(FEW, () -> granted(key, LEASE, TTL));
		reads(FEW, () -> this.store.forget(key));
		granted(key, MOMENT, MOMENT);
		StoreTime.real().pass(MOMENT.multipliedBy(5));
		reads(FEW, () -> granted(key, LEASE, TTL));
		reads(FEW, () -> assertThat(completedInTransaction(newKey())).isTrue());
		IdempotencyKey joined = newKey();
		completedInTransaction(joined);
		reads(FEW, () -> this.store.claim(joined, Fingerprint.none(), terms(OnReplay.READ)));
	}

	/**
	 * The plans of those that have been used often were made for the empty tables.
	 */
	@ParameterizedTest
	@EnumSource(Statistics.class)
	void whatNobodyWaitsForReadsNoRowTwice(Statistics statistics) {
		this.store.prepareTable(InitializeSchema.ALWAYS);
		for (int i = 0; i < 12; i++) {
			this.store.purge(BATCH);
			this.store.search(RecordFilter.all("shop"), 0, 10);
			this.store.count("shop");
		}
		prepare(statistics);
		reads(RECORDS + 2 * FENCES, () -> this.store.search(RecordFilter.all("shop"), 0, 10));
		reads(RECORDS + 2 * FENCES, () -> this.store.count("shop"));
		reads(2 * BATCH + FEW, () -> assertThat(this.store.purge(BATCH)).isEqualTo(BATCH));
		while (this.store.purge(BATCH) == BATCH) {
			// More to come
		}
		reads(3 * FENCES, () -> assertThat(this.store.purge(BATCH)).isZero());
	}

	/**
	 * Not the client, which may have gone.
	 */
	@Test
	void theServerEndsWhatNobodyWaitsForAnyMore() {
		this.store.prepareTable(InitializeSchema.ALWAYS);
		String url = this.dataSource.getUrl() + "&ApplicationName=" + UUID.randomUUID();
		JdbcIdempotencyStore impatient = new JdbcIdempotencyStore(new DriverManagerDataSource(url),
				new JdbcSettings(JdbcSettings.DEFAULT_TABLE, Duration.ofMillis(500)));
		impatient.claim(newKey(), Fingerprint.none(), terms(OnReplay.READ));
		this.transaction.executeWithoutResult((status) -> {
			TABLES.forEach((table) -> this.jdbc.execute("lock table " + table));
			assertThatException().isThrownBy(() -> impatient.purge(1));
			assertThatException().isThrownBy(() -> impatient.search(RecordFilter.all("shop"), 0, 1));
			assertThatException().isThrownBy(() -> impatient.count("shop"));
			await().until(() -> this.jdbc.queryForList(
					"select query from pg_stat_activity where application_name = ? and state = 'active'", String.class,
					url.substring(url.lastIndexOf('=') + 1)), List::isEmpty);
		});
	}

	private boolean completedInTransaction(IdempotencyKey key) {
		Claim claim = granted(key, LEASE, TTL);
		this.transaction.executeWithoutResult((status) -> this.store.completeInCallersTransaction(claim, RESULT, TTL));
		return this.store.afterTransaction(claim);
	}

	private static IdempotencyKey newKey() {
		return IdempotencyKey.of("pay", UUID.randomUUID().toString());
	}

	private static ClaimTerms terms(OnReplay onReplay) {
		return new ClaimTerms(LEASE, TTL.multipliedBy(2), OnCrash.RETRY, onReplay);
	}

	private Claim granted(IdempotencyKey key, Duration lease, Duration ttl) {
		return ((ClaimResult.Granted) this.store.claim(key, Fingerprint.none(),
				new ClaimTerms(lease, ttl, OnCrash.RETRY, OnReplay.READ)))
			.claim();
	}

	private void reads(int most, Runnable work) {
		long before = rowsRead();
		work.run();
		assertThat(rowsRead() - before).as("rows that are read").isLessThanOrEqualTo(most);
	}

	private long rowsRead() {
		this.jdbc.queryForList("select pg_stat_force_next_flush(), pg_stat_clear_snapshot()");
		return Objects.requireNonNull(this.jdbc
			.queryForObject("select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) from pg_stat_user_tables "
					+ "where schemaname = current_schema()", Long.class));
	}

}
