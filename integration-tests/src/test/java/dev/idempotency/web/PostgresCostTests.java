package dev.idempotency.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

import dev.idempotency.servers.PostgresServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What requests cost a PostgreSQL.
 */
class PostgresCostTests extends StoreCostContract {

	private static final int POINTER = 4;

	private final Path logs = newFolder();

	@AutoClose
	private final PostgresServer database = PostgresServer.start(settings(this.logs));

	/**
	 * Everything is logged, and nothing writes by itself.
	 */
	private static Map<String, String> settings(Path logs) {
		Map<String, String> settings = new HashMap<>();
		settings.put("log_statement", "all");
		settings.put("logging_collector", "on");
		settings.put("log_directory", logs.toString());
		settings.put("log_filename", "statements.log");
		settings.put("log_file_mode", "0644");
		settings.put("autovacuum", "off");
		settings.put("checkpoint_timeout", "1d");
		settings.put("wal_level", "minimal");
		settings.put("max_wal_senders", "0");
		return settings;
	}

	private static Path newFolder() {
		try {
			// Not one of JUnit's, which are there too late for a field
			return Files.createTempDirectory("postgres-log-",
					PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxrwxrwx")));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
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
		String before = mark();
		work.run();
		String after = mark();
		String text = logUntil(after);
		return text.substring(text.indexOf(before), text.indexOf(after))
			.lines()
			.filter((line) -> line.contains("LOG:  execute") || line.contains("LOG:  statement:"))
			.filter((line) -> !line.contains("select '"))
			.toList();
	}

	private String mark() {
		String mark = "mark " + UUID.randomUUID();
		jdbc().execute("select '%s'".formatted(mark));
		return mark;
	}

	private String logUntil(String mark) throws IOException {
		Path log = this.logs.resolve("statements.log");
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> Files.readString(log).contains(mark));
		return Files.readString(log);
	}

	/**
	 * But for the refusal of whoever asked, while it started, whether it runs.
	 */
	@Override
	List<String> errors() throws IOException {
		return logUntil(mark()).lines()
			.filter((line) -> line.matches(".*(ERROR|FATAL|PANIC|WARNING): .*"))
			.filter((line) -> !line.endsWith("the database system is starting up"))
			.toList();
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
	 * What lives: the row with its header, the entry in each index, and on their pages
	 * the four bytes that point to each of them, all aligned to eight. The version that
	 * the completion replaced is dead, and a vacuum frees it. The goal of 480 bytes is
	 * not met; this only holds what there is.
	 */
	@Test
	void aSmallAnswerTakesNoMoreRoomThanItDid() {
		jdbc().execute("create extension pageinspect");
		jdbc().execute("truncate idempotency_record");
		for (int i = 0; i < 5; i++) {
			pay(TestServer.newKey(), 1);
		}
		int row = number("select (max(lp_len) + 7) / 8 * 8 from heap_page_items(get_raw_page('idempotency_record', 0)) "
				+ "where t_xmax = '0'");
		int id = number("select max(itemlen) from bt_page_items('idempotency_record_pkey', 1)");
		int expiry = number("select max(itemlen) from bt_page_items('idempotency_record_expires_at', 1)");
		int creation = number("select max(itemlen) from bt_page_items('idempotency_record_created_at', 1)");
		assertThat(number("select max(length(result)) from idempotency_record")).as("the answer as it is stored")
			.isEqualTo(197);
		assertThat(List.of(id, expiry, creation)).containsExactly(48, 16, 16);
		assertThat(row + id + expiry + creation + 4 * POINTER).as("row %d", row).isLessThanOrEqualTo(544);
	}

	private int number(String query) {
		return Objects.requireNonNull(jdbc().queryForObject(query, Integer.class));
	}

}
