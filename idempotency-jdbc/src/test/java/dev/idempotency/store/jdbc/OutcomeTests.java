package dev.idempotency.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

import javax.sql.DataSource;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.RecordState;
import dev.idempotency.servers.PostgresServer;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyRecord;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.StoredResult;
import dev.idempotency.test.StoreTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.TransactionDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What is completed inside transactions, and who may complete nothing any more.
 */
class OutcomeTests {

	private static final StoredResult RESULT = StoredResult.of(new byte[] { 1, 2, 3 });

	private static final Duration MOMENT = Duration.ofMillis(1);

	private static final Duration TTL = Duration.ofHours(1);

	private static final ClaimTerms LONG = new ClaimTerms(Duration.ofMinutes(1), TTL, OnCrash.RETRY, OnReplay.READ);

	private static final ClaimTerms COUNTING = new ClaimTerms(LONG.lease(), TTL, OnCrash.RETRY, OnReplay.COUNT);

	private static final ClaimTerms ABANDONED_AT_ONCE = new ClaimTerms(MOMENT, TTL, OnCrash.RETRY, OnReplay.READ);

	private static final ClaimTerms OVER_AT_ONCE = new ClaimTerms(MOMENT, MOMENT, OnCrash.RETRY, OnReplay.READ);

	private final DataSource dataSource = new DriverManagerDataSource(PostgresServer.shared().newSchema());

	private final JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);

	private final JdbcIdempotencyStore store = new JdbcIdempotencyStore(this.dataSource, JdbcSettings.defaults());

	private final JdbcCallerTransaction transaction = new JdbcCallerTransaction(this.dataSource,
			TransactionDefinition.ISOLATION_REPEATABLE_READ, true);

	private final IdempotencyKey key = IdempotencyKey.of("tests", UUID.randomUUID().toString());

	OutcomeTests() {
		this.store.prepareTable(InitializeSchema.ALWAYS);
		JdbcCallerTransaction.prepare(this.dataSource);
	}

	private ClaimResult claim(ClaimTerms terms) {
		return this.store.claim(this.key, Fingerprint.none(), terms);
	}

	private Claim granted(ClaimTerms terms) {
		Claim claim = ((ClaimResult.Granted) claim(terms)).claim();
		if (terms.lease().equals(MOMENT)) {
			StoreTime.real().pass(MOMENT.multipliedBy(5));
		}
		return claim;
	}

	private int outcomes() {
		return this.jdbc.queryForList("select owner from idempotency_record_outcome").size();
	}

	private Claim completedInTransaction(ClaimTerms terms) {
		Claim claim = granted(terms);
		this.transaction
			.commitAfter(() -> assertThat(this.store.completeInCallersTransaction(claim, RESULT, TTL)).isTrue());
		assertThat(outcomes()).isEqualTo(1);
		return claim;
	}

	/**
	 * Whoever looks at a key that was completed in a transaction.
	 */
	enum Look {

		CLAIM, COUNTING_CLAIM, OTHER_CLAIM, FIND, FIND_BY_ID, SEARCH, COUNT, FORGET, FORGET_BY_ID, PURGE

	}

	private void look(Look look) {
		String namespace = this.key.scope().namespace();
		RecordId id = RecordId.of(this.key);
		switch (look) {
			case CLAIM -> assertThat(replayed(Fingerprint.none(), LONG).result()).isEqualTo(RESULT);
			case COUNTING_CLAIM -> assertThat(replayed(Fingerprint.none(), COUNTING).replays()).isEqualTo(1);
			case OTHER_CLAIM ->
				assertThat(replayed(Fingerprint.sha256(new byte[0]), LONG).fingerprint()).isEqualTo(Fingerprint.none());
			case FIND -> assertThat(this.store.find(this.key).orElseThrow().status().completed()).isNotNull();
			case FIND_BY_ID -> assertThat(this.store.find(id).orElseThrow().result()).isEqualTo(RESULT);
			case SEARCH -> assertThat(
					this.store.search(RecordFilter.all(namespace).withState(RecordState.COMPLETED), 0, 10).records())
				.hasSize(1);
			case COUNT -> assertThat(this.store.count(namespace).counts()).extracting(SearchableStore.Count::state)
				.containsExactly(RecordState.COMPLETED);
			case FORGET -> assertThat(this.store.forget(this.key)).isTrue();
			case FORGET_BY_ID -> assertThat(this.store.forget(id)).isTrue();
			case PURGE -> assertThat(this.store.purge(10)).isZero();
		}
	}

	private IdempotencyRecord.Completed replayed(Fingerprint fingerprint, ClaimTerms terms) {
		return (IdempotencyRecord.Completed) ((ClaimResult.Refused) this.store.claim(this.key, fingerprint, terms))
			.record();
	}

	@ParameterizedTest
	@EnumSource(Look.class)
	void whoeverMeetsAnOutcomePutsItIntoItsRecord(Look look) {
		completedInTransaction(LONG);
		look(look);
		assertThat(outcomes()).isZero();
		assertThat(this.jdbc.queryForList(
				"select case state when 0 then 'IN_PROGRESS' else 'COMPLETED' end from idempotency_record",
				String.class))
			.isEqualTo(look.name().startsWith("FORGET") ? List.of() : List.of("COMPLETED"));
	}

	@ParameterizedTest
	@EnumSource(Look.class)
	void anOutcomeCountsAlsoWhereItsRecordWasOver(Look look) {
		completedInTransaction(OVER_AT_ONCE);
		look(look);
		assertThat(outcomes()).isZero();
	}

	/**
	 * Whoever takes a key from its owner.
	 */
	enum Dispossession {

		TAKEOVER, COUNTING_TAKEOVER, RESTART, FORGETTING, FORGETTING_BY_ID, PURGE

	}

	private static ClaimTerms termsBefore(Dispossession how) {
		return switch (how) {
			case TAKEOVER, COUNTING_TAKEOVER -> ABANDONED_AT_ONCE;
			case RESTART, PURGE -> OVER_AT_ONCE;
			case FORGETTING, FORGETTING_BY_ID -> LONG;
		};
	}

	private void dispossess(Dispossession how) {
		switch (how) {
			case TAKEOVER -> assertThat(granted(LONG).attempt()).isEqualTo(2);
			case COUNTING_TAKEOVER -> assertThat(granted(COUNTING).attempt()).isEqualTo(2);
			case RESTART -> assertThat(granted(LONG).attempt()).isEqualTo(1);
			case FORGETTING -> assertThat(this.store.forget(this.key)).isTrue();
			case FORGETTING_BY_ID -> assertThat(this.store.forget(RecordId.of(this.key))).isTrue();
			case PURGE -> assertThat(this.store.purge(10)).isEqualTo(1);
		}
	}

	@ParameterizedTest
	@EnumSource(Dispossession.class)
	void whoHasLostItsKeyCompletesNothing(Dispossession how) {
		this.transaction.rollBackAfter(() -> {
			Claim late = granted(termsBefore(how));
			dispossess(how);
			assertThat(this.store.completeInCallersTransaction(late, RESULT, TTL)).isFalse();
		});
		assertThat(outcomes()).isEqualTo(1);
		this.jdbc.update("update idempotency_record_outcome set expires_at = now()");
		this.store.purge(10);
		assertThat(outcomes()).as("it will not come any more").isZero();
	}

	@Test
	void outcomesDoNotPileUp() {
		for (int i = 0; i < 3 * OutcomeTable.MANY; i++) {
			IdempotencyKey each = IdempotencyKey.of("tests", UUID.randomUUID().toString());
			Claim claim = ((ClaimResult.Granted) this.store.claim(each, Fingerprint.none(), LONG)).claim();
			this.transaction.commitAfter(() -> this.store.completeInCallersTransaction(claim, RESULT, TTL));
		}
		assertThat(outcomes()).isLessThanOrEqualTo(OutcomeTable.MANY);
		assertThat(this.store.count(this.key.scope().namespace()).counts())
			.containsExactly(new SearchableStore.Count("tests", RecordState.COMPLETED, 3 * OutcomeTable.MANY));
		assertThat(outcomes()).isZero();
	}

	@Test
	void noSearchListsACompletedKeyAsAbandoned() {
		int left = plantOutcomes(101_500);
		String namespace = this.key.scope().namespace();
		SearchableStore.Found found = this.store.search(RecordFilter.all(namespace).withState(RecordState.ABANDONED), 0,
				10);
		assertThat(found.records()).isEmpty();
		assertThat(found.complete()).as("not all are in their records").isFalse();
		SearchableStore.Counts counts = this.store.count(namespace);
		assertThat(counts.counts()).noneMatch((count) -> count.state() == RecordState.ABANDONED);
		assertThat(counts.exact()).isFalse();
		assertThat(this.store.purge(10)).isZero();
		assertThat(outcomes()).isZero();
		assertThat(this.store.count(namespace).counts())
			.containsExactly(new SearchableStore.Count("tests", RecordState.COMPLETED, left));
	}

	/**
	 * As if that many processes had crashed right after their commit, and had not renewed
	 * their leases.
	 */
	private int plantOutcomes(int number) {
		this.jdbc.update("insert into idempotency_record (id, namespace, operation, idempotency_key, state, attempt, "
				+ "owner, fingerprint, created_at, ends_at, expires_at) select sha256(i::text::bytea), ?, 'tests', "
				+ "i::text, 0, 1, i, sha256('f'), now(), now(), now() + interval '1 hour' from generate_series(1, ?) i",
				this.key.scope().namespace(), number);
		return this.jdbc.update("insert into idempotency_record_outcome (owner, id, completed_at, expires_at, result) "
				+ "select owner, id, now(), expires_at, decode('0100' || repeat('ab', 100), 'hex') "
				+ "from idempotency_record");
	}

	@Test
	void theTtlCountsFromTheClaimAlsoInATransaction() {
		Claim claim = granted(LONG);
		Instant expiry = expiry();
		this.transaction.commitAfter(() -> this.store.completeInCallersTransaction(claim, RESULT, LONG.lease()));
		assertThat(expiry()).isEqualTo(expiry);
	}

	@Test
	void anOutcomeIsRememberedForAsLongAsItWasAskedFor() {
		Claim claim = granted(LONG);
		Instant expiry = expiry();
		this.transaction.commitAfter(() -> this.store.completeInCallersTransaction(claim, RESULT, TTL.multipliedBy(2)));
		assertThat(expiry()).isAfter(expiry.plus(TTL.dividedBy(2)));
	}

	private Instant expiry() {
		return this.store.find(this.key).orElseThrow().status().expires();
	}

	@Test
	void nothingIsLeftOfATransactionThatWasRolledBack() {
		Claim claim = granted(LONG);
		this.transaction.rollBackAfter(() -> this.store.completeInCallersTransaction(claim, RESULT, TTL));
		assertThat(this.store.afterTransaction(claim)).isFalse();
		assertThat(outcomes()).isZero();
		assertThat(this.jdbc.queryForList("select id from idempotency_record")).isEmpty();
	}

	@Test
	void whatACrashLeftBetweenRecordAndOutcomeIsPurged() {
		Claim claim = completedInTransaction(LONG);
		this.jdbc.execute("create table orphan as select * from idempotency_record_outcome");
		this.store.find(this.key);
		this.jdbc.execute("insert into idempotency_record_outcome select * from orphan");
		this.store.complete(claim, StoredResult.tombstone(), TTL);
		assertThat(this.store.purge(10)).isZero();
		assertThat(outcomes()).isZero();
		assertThat(((IdempotencyRecord.Completed) ((ClaimResult.Refused) claim(LONG)).record()).result())
			.isEqualTo(RESULT);
	}

	@Test
	void aKeyThatNobodyHasIsTakenWithoutAFence() {
		granted(ABANDONED_AT_ONCE);
		Claim second = granted(LONG);
		assertThat(this.store.release(second)).isTrue();
		assertThat(granted(LONG).attempt()).isEqualTo(3);
		assertThat(outcomes()).as("that of the first attempt").isEqualTo(1);
	}

	@Test
	void saysThatTheTableIsMissing() {
		this.jdbc.execute("drop table idempotency_record_outcome");
		assertThatExceptionOfType(IdempotencyConfigurationException.class)
			.isThrownBy(() -> this.store.prepareTable(InitializeSchema.NEVER))
			.withMessageContaining("The table idempotency_record_outcome is missing")
			.satisfies((ex) -> assertThat(ex.remedy()).asString()
				.contains("schema-postgresql.sql, which creates what is missing"));
		this.store.prepareTable(InitializeSchema.ALWAYS);
		completedInTransaction(LONG);
	}

	@Test
	void isBesideItsTableInAnotherSchema() {
		this.jdbc.execute("drop schema if exists beside cascade");
		this.jdbc.execute("create schema beside");
		JdbcIdempotencyStore elsewhere = new JdbcIdempotencyStore(this.dataSource,
				new JdbcSettings("beside.idempotency_record_v2", Duration.ofSeconds(5)));
		elsewhere.prepareTable(InitializeSchema.ALWAYS);
		Claim claim = ((ClaimResult.Granted) elsewhere.claim(this.key, Fingerprint.none(), LONG)).claim();
		this.transaction.commitAfter(() -> elsewhere.completeInTransaction(claim, RESULT, TTL));
		assertThat(this.jdbc.queryForObject("select count(*) from beside.idempotency_record_v2_outcome", Integer.class))
			.isEqualTo(1);
		assertThat(elsewhere.find(this.key).orElseThrow().status().completed()).isNotNull();
		this.jdbc.execute("drop schema beside cascade");
	}

}
