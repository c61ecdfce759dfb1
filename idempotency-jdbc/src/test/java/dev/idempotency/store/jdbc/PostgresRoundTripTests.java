package dev.idempotency.store.jdbc;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
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
import dev.idempotency.servers.PostgresServer;
import dev.idempotency.servers.StatementLog;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.StoredResult;
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

	private final StatementLog log = new StatementLog();

	@AutoClose
	private final PostgresServer server = PostgresServer.start(this.log.settings());

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
		List<List<String>> first = roundTripsOf(() -> {
			Decision.Proceed proceed = (Decision.Proceed) this.engine.begin(this.attempt);
			proceed.execution().complete(new byte[100]);
		});
		assertThat(first).hasSize(2);
		assertThat(first.get(0)).hasSize(2);
		assertThat(first.get(0).get(0)).startsWith("select owner");
		assertThat(first.get(0).get(1)).contains("insert into idempotency_record");
		assertThat(first.get(1)).singleElement().asString().startsWith("update idempotency_record set state = 1");
		for (int i = 0; i < 10; i++) {
			assertThat(
					roundTripsOf(() -> assertThat(this.engine.begin(this.attempt)).isInstanceOf(Decision.Replay.class)))
				.singleElement()
				.satisfies(
						(statements) -> assertThat(statements).singleElement().asString().startsWith("select owner"));
		}
	}

	@Test
	void asksOnceForAReplayOfWhatAnotherInstanceHasCompleted() throws IOException {
		IdempotencyKey key = IdempotencyKey.of("tests", UUID.randomUUID().toString());
		ClaimTerms terms = terms(Duration.ofHours(1), OnReplay.READ);
		ClaimResult first = this.store.claim(key, Fingerprint.none(), terms);
		this.store.complete(((ClaimResult.Granted) first).claim(), StoredResult.tombstone(), Duration.ofHours(1));
		JdbcIdempotencyStore other = new JdbcIdempotencyStore(this.dataSource, JdbcSettings.defaults());
		other.prepareTable(InitializeSchema.NEVER);
		assertThat(roundTripsOf(
				() -> assertThat(other.claim(key, Fingerprint.none(), terms)).isInstanceOf(ClaimResult.Refused.class)))
			.hasSize(1);
		this.store.forget(key);
		assertThat(roundTripsOf(
				() -> assertThat(other.claim(key, Fingerprint.none(), terms)).isInstanceOf(ClaimResult.Granted.class)))
			.as("it was there lately")
			.hasSize(2);
	}

	@Test
	void aCountedReplayAsksOnce() throws IOException {
		IdempotencyKey key = IdempotencyKey.of("tests", UUID.randomUUID().toString());
		ClaimTerms terms = terms(Duration.ofHours(1), OnReplay.COUNT);
		JdbcIdempotencyStore other = new JdbcIdempotencyStore(this.dataSource, JdbcSettings.defaults());
		other.prepareTable(InitializeSchema.NEVER);
		ClaimResult first = this.store.claim(key, Fingerprint.none(), terms);
		this.store.complete(((ClaimResult.Granted) first).claim(), StoredResult.tombstone(), Duration.ofHours(1));
		for (int replays = 1; replays < 10; replays++) {
			JdbcIdempotencyStore either = (replays % 4 == 1) ? other : this.store;
			ClaimResult[] result = new ClaimResult[1];
			assertThat(roundTripsOf(() -> result[0] = either.claim(key, Fingerprint.none(), terms))).hasSize(1);
			IdempotencyRecord record = ((ClaimResult.Refused) result[0]).record();
			assertThat(((IdempotencyRecord.Completed) record).replays()).isEqualTo(replays);
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
		List<List<String>> extension = roundTripsOf(
				() -> this.store.claim(key, Fingerprint.none(), terms(Duration.ofHours(2), OnReplay.EXTEND)));
		assertThat(extension).singleElement().asString().contains("set expires_at");
		assertThat(version(key)).as("written").isNotEqualTo(completed);
	}

	@Test
	void aCompletedRecordIsFoundAndForgottenByItsIdInOneRoundTrip() throws IOException {
		IdempotencyKey key = IdempotencyKey.of("tests", UUID.randomUUID().toString());
		ClaimResult first = this.store.claim(key, Fingerprint.none(), terms(Duration.ofHours(1), OnReplay.READ));
		this.store.complete(((ClaimResult.Granted) first).claim(), StoredResult.tombstone(), Duration.ofHours(1));
		assertThat(roundTripsOf(() -> this.store.find(RecordId.of(key)))).hasSize(1);
		assertThat(roundTripsOf(() -> this.store.forget(RecordId.of(key)))).hasSize(1);
	}

	/**
	 * It may have been completed in a transaction; and whoever is at work on it must
	 * learn that it is forgotten.
	 */
	@Test
	void whatIsInProgressIsLookedAtTwice() throws IOException {
		IdempotencyKey key = IdempotencyKey.of("tests", UUID.randomUUID().toString());
		this.store.claim(key, Fingerprint.none(), terms(Duration.ofHours(1), OnReplay.READ));
		assertThat(roundTripsOf(() -> this.store.find(RecordId.of(key)))).hasSize(2);
		assertThat(roundTripsOf(() -> this.store.search(RecordFilter.all("").withKey(key.value()), 0, 50))).hasSize(2);
		assertThat(roundTripsOf(() -> this.store.forget(RecordId.of(key)))).hasSize(4);
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

	private List<List<String>> roundTripsOf(Runnable work) throws IOException {
		return this.log.roundTripsOf(new JdbcTemplate(this.dataSource)::execute, work);
	}

}
