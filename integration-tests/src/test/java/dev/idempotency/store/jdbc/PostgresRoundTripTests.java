package dev.idempotency.store.jdbc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Decision;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.fixtures.Unchecked;
import dev.idempotency.servers.PostgresServer;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.StoredResult;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the server says that it was asked.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PostgresRoundTripTests {

	private final Path logs = newFolder();

	@AutoClose
	private final PostgresServer server = PostgresServer.start(Map.of("log_statement", "all", "logging_collector", "on",
			"log_directory", this.logs.toString(), "log_filename", "statements.log", "log_file_mode", "0644"));

	@AutoClose
	private final HikariDataSource dataSource = new HikariDataSource();

	private final JdbcIdempotencyStore store = new JdbcIdempotencyStore(this.dataSource, JdbcSettings.defaults());

	@AutoClose
	private final IdempotencyEngine engine = new IdempotencyEngine(this.store, EngineSettings.of("tests"),
			new MonotonicClock(), List.of());

	private final Attempt attempt = new Attempt(IdempotencyKey.of("tests", UUID.randomUUID().toString()),
			Fingerprint.none(), OperationPolicy.of(Duration.ofHours(1), Duration.ofSeconds(30)));

	@BeforeAll
	void prepare() {
		this.dataSource.setJdbcUrl(this.server.url());
		this.dataSource.setMaximumPoolSize(1);
		this.store.prepareTable(InitializeSchema.ALWAYS);
	}

	@Test
	void asksTwiceForAFirstRequestAndOnceForEachReplay() throws IOException {
		List<String> first = statementsOf(() -> {
			Decision.Proceed proceed = (Decision.Proceed) this.engine.begin(this.attempt);
			proceed.execution().complete(new byte[100]);
		});
		assertThat(first).hasSize(2);
		assertThat(first.get(0)).contains("with there as");
		assertThat(first.get(1)).contains("update idempotency_record set state = 'COMPLETED'");
		for (int i = 0; i < 10; i++) {
			List<String> replay = statementsOf(
					() -> assertThat(this.engine.begin(this.attempt)).isInstanceOf(Decision.Replay.class));
			assertThat(replay).singleElement().asString().contains("with there as");
		}
	}

	@Test
	void aReplayThatExtendsAsksOnceAndWritesOnlyWhatIsTooShort() throws IOException {
		IdempotencyKey key = IdempotencyKey.of("tests", UUID.randomUUID().toString());
		ClaimResult first = this.store.claim(key, Fingerprint.none(), terms(Duration.ofHours(1), OnReplay.READ));
		this.store.complete(((ClaimResult.Granted) first).claim(), StoredResult.tombstone(), Duration.ofHours(1));
		String completed = version(key);
		this.store.claim(key, Fingerprint.none(), terms(Duration.ofHours(2), OnReplay.READ));
		this.store.claim(key, Fingerprint.none(), terms(Duration.ofMinutes(1), OnReplay.EXTEND));
		this.store.claim(key, Fingerprint.sha256(new byte[0]), terms(Duration.ofHours(2), OnReplay.EXTEND));
		assertThat(version(key)).as("only read").isEqualTo(completed);
		List<String> extension = statementsOf(
				() -> this.store.claim(key, Fingerprint.none(), terms(Duration.ofHours(2), OnReplay.EXTEND)));
		assertThat(extension).singleElement().asString().contains("with asked as");
		assertThat(version(key)).as("written").isNotEqualTo(completed);
	}

	@Test
	void aCompletedRecordIsFoundAndForgottenByItsIdInOneRoundTrip() throws IOException {
		IdempotencyKey key = IdempotencyKey.of("tests", UUID.randomUUID().toString());
		ClaimResult first = this.store.claim(key, Fingerprint.none(), terms(Duration.ofHours(1), OnReplay.READ));
		this.store.complete(((ClaimResult.Granted) first).claim(), StoredResult.tombstone(), Duration.ofHours(1));
		assertThat(statementsOf(() -> this.store.find(RecordId.of(key)))).hasSize(1);
		assertThat(statementsOf(() -> this.store.forget(RecordId.of(key)))).hasSize(1);
	}

	/**
	 * It may have been completed in a transaction; and whoever is at work on it must
	 * learn that it is forgotten.
	 */
	@Test
	void whatIsInProgressIsLookedAtTwice() throws IOException {
		IdempotencyKey key = IdempotencyKey.of("tests", UUID.randomUUID().toString());
		this.store.claim(key, Fingerprint.none(), terms(Duration.ofHours(1), OnReplay.READ));
		assertThat(statementsOf(() -> this.store.find(RecordId.of(key)))).hasSize(2);
		assertThat(statementsOf(() -> this.store.search(RecordFilter.all("").withKey(key.value()), 0, 50))).hasSize(2);
		assertThat(statementsOf(() -> this.store.forget(RecordId.of(key)))).hasSize(4);
	}

	private static ClaimTerms terms(Duration ttl, OnReplay onReplay) {
		return new ClaimTerms(Duration.ofSeconds(30), ttl, OnCrash.RETRY, onReplay);
	}

	/**
	 * Tells a row from what it was before it was written again.
	 */
	private String version(IdempotencyKey key) {
		return Objects.requireNonNull(new JdbcTemplate(this.dataSource).queryForObject(
				"select ctid || ' ' || xmin from idempotency_record where id = ?", String.class,
				(Object) key.digest()));
	}

	private List<String> statementsOf(Runnable work) throws IOException {
		String before = mark();
		work.run();
		String after = mark();
		Path log = this.logs.resolve("statements.log");
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> Files.readString(log).contains(after));
		String text = Files.readString(log);
		return text.substring(text.indexOf(before), text.indexOf(after))
			.lines()
			.filter((line) -> line.contains("LOG:  execute") || line.contains("LOG:  statement:"))
			.filter((line) -> !line.contains("select '"))
			.toList();
	}

	private static Path newFolder() {
		return Unchecked.get(() -> {
			// Not one of JUnit's, which are there too late for a field
			return Files.createTempDirectory("postgres-log-",
					PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxrwxrwx")));
		});
	}

	private String mark() {
		String mark = "mark " + UUID.randomUUID();
		new JdbcTemplate(this.dataSource).execute("select '%s'".formatted(mark));
		return mark;
	}

}
