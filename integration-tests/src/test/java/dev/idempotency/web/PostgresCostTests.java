package dev.idempotency.web;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.idempotency.servers.PostgresServer;
import dev.idempotency.servers.StatementLog;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What requests cost a PostgreSQL.
 */
class PostgresCostTests extends StoreCostContract {

	private static final int POINTER = 4;

	private static final int REQUESTS = 1000;

	private final StatementLog log = new StatementLog();

	@AutoClose
	private final PostgresServer database = PostgresServer.start(settings(this.log));

	/**
	 * Everything is logged, and nothing writes by itself.
	 */
	private static Map<String, String> settings(StatementLog log) {
		Map<String, String> settings = new HashMap<>(log.settings());
		settings.put("autovacuum", "off");
		settings.put("checkpoint_timeout", "1d");
		settings.put("wal_level", "minimal");
		settings.put("max_wal_senders", "0");
		return settings;
	}

	@Override
	TestServer startServer() {
		return TestServer.start(List.of(WebTestApplication.class, Turnstile.class, Payments.class),
				TestServer.WITH_DATABASE + WITHOUT_TRACES, "spring.datasource.url=" + this.database.url(),
				"spring.datasource.hikari.maximum-pool-size=1", "idempotency.store=jdbc",
				"idempotency.jdbc.initialize-schema=always", "idempotency.purge.interval=0");
	}

	/**
	 * It may have been completed in a transaction, which is in a table of its own.
	 */
	@Override
	int roundTripsOfAKeyInProgress() {
		return 2;
	}

	private JdbcTemplate jdbc() {
		return server().bean(JdbcTemplate.class);
	}

	@Override
	List<String> roundTripsOf(Runnable work) throws IOException {
		return this.log.roundTripsOf(jdbc()::execute, work).stream().map(List::toString).toList();
	}

	@Override
	List<String> errors() throws IOException {
		return this.log.errors(jdbc()::execute);
	}

	/**
	 * The first replay leaves on the page that it knows the row to be committed.
	 */
	@Test
	void aReplayWritesNothing() {
		String key = TestServer.newKey();
		pay(key, 1);
		assertThat(pay(key, 1).isReplay()).isTrue();
		String before = written();
		for (int i = 0; i < 100; i++) {
			assertThat(pay(key, 1).isReplay()).isTrue();
		}
		assertThat(written()).isEqualTo(before);
		pay(TestServer.newKey(), 1);
		assertThat(written()).as("it would have been seen").isNotEqualTo(before);
	}

	private String written() {
		return Objects.requireNonNull(jdbc().queryForObject("select pg_current_wal_insert_lsn()::text", String.class));
	}

	/**
	 * A completion changes nothing that is indexed, and stays on its page as long as
	 * there is room. What it leaves as it is need not be logged again.
	 */
	@Test
	void aFirstRequestWritesLittleAndChangesNoIndexTwice() {
		jdbc().execute("truncate idempotency_record");
		pay(TestServer.newKey(), 1);
		jdbc().execute("select pg_stat_force_next_flush()");
		jdbc().execute("select pg_stat_reset()");
		long before = position();
		for (int i = 0; i < REQUESTS; i++) {
			pay(TestServer.newKey(), 1);
		}
		assertThat((position() - before) / REQUESTS).as("bytes of WAL").isLessThanOrEqualTo(1000);
		jdbc().execute("select pg_stat_force_next_flush()");
		String counts = " from pg_stat_user_tables where relname = 'idempotency_record'";
		assertThat(number("select n_tup_upd" + counts)).isEqualTo(REQUESTS);
		assertThat(number("select n_tup_hot_upd" + counts)).as("on the same page")
			.isGreaterThanOrEqualTo(REQUESTS * 9 / 10);
	}

	private long position() {
		return Objects
			.requireNonNull(jdbc().queryForObject("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn", Long.class));
	}

	/**
	 * What lives: the row with its header, the entry in each index, and on their pages
	 * the four bytes that point to each of them, all aligned to eight. The version that
	 * the completion replaced is dead, and the next one on its page takes its room.
	 */
	@Test
	void aSmallAnswerTakesLittleRoom() {
		jdbc().execute("create extension pageinspect");
		jdbc().execute("truncate idempotency_record");
		for (int i = 0; i < 5; i++) {
			pay(TestServer.newKey(), 1);
		}
		int row = number("select (max(lp_len) + 7) / 8 * 8 from heap_page_items(get_raw_page('idempotency_record', 0)) "
				+ "where t_xmax = '0'");
		int id = number("select max(itemlen) from bt_page_items('idempotency_record_pkey', 1)");
		int expiry = number("select max(itemlen) from bt_page_items('idempotency_record_expires_at', 1)");
		assertThat(number("select max(length(result)) from idempotency_record")).as("the answer as it is stored")
			.isEqualTo(197);
		assertThat(number("select count(*) from pg_indexes where tablename = 'idempotency_record'")).isEqualTo(2);
		assertThat(List.of(id, expiry)).containsExactly(48, 16);
		assertThat(row + id + expiry + 3 * POINTER).as("row %d", row).isLessThanOrEqualTo(480);
	}

	private int number(String query) {
		return Objects.requireNonNull(jdbc().queryForObject(query, Integer.class));
	}

}
