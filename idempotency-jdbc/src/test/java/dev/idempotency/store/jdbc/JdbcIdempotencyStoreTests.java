package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyScope;
import dev.idempotency.OnCrash;
import dev.idempotency.ResultTooLargeException;
import dev.idempotency.servers.MariaDbServer;
import dev.idempotency.servers.PostgresServer;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;
import dev.idempotency.test.Race;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class JdbcIdempotencyStoreTests {

	private static final Fingerprint FINGERPRINT = Fingerprint.sha256(new byte[] { 1 });

	private static final ClaimTerms TERMS = new ClaimTerms(Duration.ofMinutes(1), Duration.ofHours(1), OnCrash.RETRY,
			OnReplay.READ);

	private static final IdempotencyKey KEY = IdempotencyKey.of("tests", "key");

	private static String postgres() {
		return PostgresServer.shared().newSchema();
	}

	private static JdbcIdempotencyStore store(DataSource dataSource) {
		JdbcIdempotencyStore store = new JdbcIdempotencyStore(dataSource, JdbcSettings.defaults());
		store.prepareTable(InitializeSchema.ALWAYS);
		return store;
	}

	private static Claim granted(JdbcIdempotencyStore store, IdempotencyKey key) {
		return ((ClaimResult.Granted) store.claim(key, FINGERPRINT, TERMS)).claim();
	}

	private static HikariDataSource pool(String url, int connections) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		pool.setMaximumPoolSize(connections);
		return pool;
	}

	// Connections

	@Test
	void claimsUnderContentionWhateverTheIsolationOfThePool() {
		for (String isolation : List.of("TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE")) {
			try (HikariDataSource pool = pool(postgres(), 8)) {
				pool.setTransactionIsolation(isolation);
				JdbcIdempotencyStore store = store(pool);
				for (int round = 0; round < 30; round++) {
					IdempotencyKey key = IdempotencyKey.of("tests", "round " + round);
					List<ClaimResult> results = Race.run(8, () -> store.claim(key, FINGERPRINT, TERMS));
					assertThat(results).filteredOn(ClaimResult.Granted.class::isInstance).hasSize(1);
				}
			}
		}
	}

	@Test
	void commitsOnConnectionsThatDoNotCommitByThemselves() {
		try (HikariDataSource pool = pool(postgres(), 2)) {
			pool.setAutoCommit(false);
			JdbcIdempotencyStore store = store(pool);
			Claim claim = granted(store, KEY);
			assertThat(store.complete(claim, StoredResult.tombstone(), TERMS.ttl())).isTrue();
			assertThat(new JdbcTemplate(new DriverManagerDataSource(pool.getJdbcUrl())).queryForObject(
					"select case state when 0 then 'IN_PROGRESS' else 'COMPLETED' end from idempotency_record",
					String.class))
				.isEqualTo("COMPLETED");
		}
	}

	@Test
	void leavesAConnectionAsItFoundIt() throws SQLException {
		SingleConnectionDataSource single = new SingleConnectionDataSource(postgres(), true);
		Connection connection = single.getConnection();
		connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
		connection.setAutoCommit(false);
		connection.setNetworkTimeout(Runnable::run, 12_345);
		granted(store(single), KEY);
		assertThat(connection.getAutoCommit()).isFalse();
		assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
		assertThat(connection.getNetworkTimeout()).isEqualTo(12_345);
		single.destroy();
	}

	@Test
	void staysOutOfTheTransactionThatAProxyKnowsOf() {
		try (HikariDataSource pool = pool(postgres(), 4)) {
			JdbcIdempotencyStore store = store(new TransactionAwareDataSourceProxy(pool));
			new TransactionTemplate(new JdbcTransactionManager(pool)).executeWithoutResult((status) -> {
				granted(store, KEY);
				status.setRollbackOnly();
			});
			assertThat(store.claim(KEY, FINGERPRINT, TERMS)).isInstanceOf(ClaimResult.Refused.class);
		}
	}

	@Test
	void joinsATransactionThroughAProxyToo() {
		try (HikariDataSource pool = pool(postgres(), 4)) {
			TransactionAwareDataSourceProxy proxy = new TransactionAwareDataSourceProxy(pool);
			JdbcIdempotencyStore store = store(proxy);
			Claim claim = granted(store, KEY);
			new TransactionTemplate(new JdbcTransactionManager(proxy)).executeWithoutResult(
					(status) -> assertThat(store.completeInTransaction(claim, StoredResult.tombstone(), TERMS.ttl()))
						.isTrue());
			assertThat(store.find(KEY)).isPresent();
		}
	}

	@Test
	void seesThatATransactionIsElsewhere() {
		try (HikariDataSource here = pool(postgres(), 2); HikariDataSource elsewhere = pool(postgres(), 2)) {
			JdbcIdempotencyStore store = store(here);
			new TransactionTemplate(new JdbcTransactionManager(elsewhere))
				.executeWithoutResult((status) -> assertThat(store.isInTransaction()).isFalse());
		}
	}

	@Test
	void seesThatATransactionIsElsewhereAlsoWhereItUsesThisDatabase() {
		try (HikariDataSource here = pool(postgres(), 2); HikariDataSource elsewhere = pool(postgres(), 2)) {
			JdbcIdempotencyStore store = store(here);
			new TransactionTemplate(new JdbcTransactionManager(elsewhere)).executeWithoutResult((status) -> {
				new JdbcTemplate(here).execute("select 1");
				assertThat(store.isInTransaction()).isFalse();
			});
		}
	}

	@Test
	void saysThatAResultIsTooLargeForTheServer() {
		JdbcIdempotencyStore store = store(MariaDbServer.shared().url());
		store.prepareTable(InitializeSchema.ALWAYS);
		IdempotencyKey key = IdempotencyKey.of("tests", "too large");
		store.forget(key);
		Claim claim = granted(store, key);
		assertThatExceptionOfType(ResultTooLargeException.class)
			.isThrownBy(() -> store.complete(claim, StoredResult.of(new byte[20 * 1024 * 1024]), TERMS.ttl()));
		assertThat(store.complete(claim, StoredResult.tombstone(), TERMS.ttl())).isTrue();
	}

	@Test
	void givesUpOnAServerThatFallsSilent() {
		String url = postgres();
		JdbcIdempotencyStore store = new JdbcIdempotencyStore(new DriverManagerDataSource(url),
				new JdbcSettings(JdbcSettings.DEFAULT_TABLE, Duration.ofMillis(300)));
		store.prepareTable(InitializeSchema.ALWAYS);
		JdbcTemplate other = new JdbcTemplate(new SingleConnectionDataSource(url, true));
		Claim claim = granted(store, KEY);
		other.execute("begin");
		other.execute("lock table idempotency_record in access exclusive mode");
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> store.renew(claim, TERMS.lease()));
		other.execute("rollback");
		assertThat(store.renew(claim, TERMS.lease())).isTrue();
	}

	@Test
	void detectsTheDatabaseWhenItCanBeReached() {
		try (HikariDataSource pool = pool(postgres(), 2)) {
			store(pool);
			SwitchedDataSource switched = new SwitchedDataSource(pool);
			JdbcIdempotencyStore store = new JdbcIdempotencyStore(switched, JdbcSettings.defaults());
			switched.off = true;
			assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> store.claim(KEY, FINGERPRINT, TERMS));
			switched.off = false;
			assertThat(store.claim(KEY, FINGERPRINT, TERMS)).isInstanceOf(ClaimResult.Granted.class);
		}
	}

	// The table

	@Test
	void keepsWhatPeopleReadWithinItsColumns() {
		DataSource dataSource = new DriverManagerDataSource(postgres());
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		JdbcIdempotencyStore store = store(dataSource);
		String longText = "x".repeat(253) + "\ud83d\udcb3" + "y".repeat(300);
		granted(store, new IdempotencyKey(new IdempotencyScope("shop", "POST /pay", "ann\u0000", null), longText));
		Map<String, Object> row = jdbc
			.queryForMap("select namespace, operation, principal, tenant, idempotency_key, state, attempt "
					+ "from idempotency_record");
		assertThat(row).containsEntry("namespace", "shop")
			.containsEntry("operation", "POST /pay")
			.containsEntry("principal", "ann\ufffd")
			.containsEntry("tenant", null)
			.containsEntry("idempotency_key", "x".repeat(253) + "\u2026")
			.containsEntry("state", 0)
			.containsEntry("attempt", 1);
	}

	@Test
	void usesAnotherTableInAnotherSchema() {
		DataSource dataSource = new DriverManagerDataSource(postgres());
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		jdbc.execute("create schema if not exists elsewhere");
		JdbcIdempotencyStore store = new JdbcIdempotencyStore(dataSource,
				new JdbcSettings("elsewhere.once_only", Duration.ofSeconds(5)));
		store.prepareTable(InitializeSchema.ALWAYS);
		store.prepareTable(InitializeSchema.NEVER);
		Claim claim = granted(store, KEY);
		assertThat(store.complete(claim, StoredResult.tombstone(), TERMS.ttl())).isTrue();
		assertThat(jdbc.queryForObject("select count(*) from elsewhere.once_only", Integer.class)).isEqualTo(1);
		assertThat(jdbc.queryForList("select indexname from pg_indexes where tablename = 'once_only'", String.class))
			.contains("once_only_expires_at");
		jdbc.execute("drop schema elsewhere cascade");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a b", "a;drop table b", "a.b.c", "1a", "a--", "\"a\"", "a'", "tabelle\u00e4",
			"a123456789a123456789a123456789a123456789a12345678" })
	void refusesNamesThatAreNoPlainNames(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> new JdbcSettings(name, Duration.ofSeconds(5)))
			.withMessageContaining("idempotency.jdbc.table")
			.withMessageContaining("Write one such as");
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT-1S", "PT2H" })
	void refusesTimeoutsThatMakeNoSense(String timeout) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new JdbcSettings(JdbcSettings.DEFAULT_TABLE, Duration.parse(timeout)))
			.withMessageContaining("idempotency.jdbc.timeout");
	}

	@Test
	void saysWhichFileToRunWhereTheTableIsMissing() {
		for (Map.Entry<String, String> database : Map
			.of(postgres(), "schema-postgresql.sql", "jdbc:h2:mem:missing;DB_CLOSE_DELAY=-1", "schema-h2.sql",
					"jdbc:hsqldb:mem:missing", "schema-hsqldb.sql")
			.entrySet()) {
			JdbcIdempotencyStore store = new JdbcIdempotencyStore(new DriverManagerDataSource(database.getKey()),
					JdbcSettings.defaults());
			assertThatExceptionOfType(IdempotencyConfigurationException.class)
				.isThrownBy(() -> store.prepareTable(InitializeSchema.NEVER))
				.withMessageContaining("idempotency_record is missing")
				.satisfies((ex) -> assertThat(ex.remedy()).asString()
					.contains("classpath:dev/idempotency/store/jdbc/" + database.getValue())
					.contains("initialize-schema=always"));
		}
	}

	@Test
	void createsTheTableWhereTheDatabaseIsEmbeddedAndNowhereElse() {
		store("jdbc:h2:mem:embedded;DB_CLOSE_DELAY=-1").prepareTable(InitializeSchema.EMBEDDED);
		store("jdbc:hsqldb:mem:embedded").prepareTable(InitializeSchema.EMBEDDED);
		JdbcIdempotencyStore remote = store(postgres());
		assertThatExceptionOfType(IdempotencyConfigurationException.class)
			.isThrownBy(() -> remote.prepareTable(InitializeSchema.EMBEDDED));
	}

	private static JdbcIdempotencyStore store(String url) {
		return new JdbcIdempotencyStore(new DriverManagerDataSource(url), JdbcSettings.defaults());
	}

	@Test
	void createsTheTableOnceWhenManyInstancesStartAtTheSameTime() {
		for (int round = 0; round < 5; round++) {
			String url = postgres();
			Race.run(8, () -> {
				store(url).prepareTable(InitializeSchema.ALWAYS);
				return true;
			});
			granted(store(url), KEY);
		}
	}

	@Test
	void noticesATableThatIsNotAsItShouldBe() {
		DataSource dataSource = new DriverManagerDataSource(postgres());
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		jdbc.execute("create table idempotency_record (id bytea primary key, expires_at timestamptz)");
		assertThatExceptionOfType(IdempotencyConfigurationException.class).isThrownBy(() -> store(dataSource))
			.withMessageContaining("is missing or unusable");
	}

	@Test
	void findsThePurgeByAnIndexAndHasNoOtherToWrite() {
		DataSource dataSource = new DriverManagerDataSource(postgres());
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		store(dataSource);
		assertThat(jdbc.queryForList("select indexdef from pg_indexes where tablename = 'idempotency_record' "
				+ "and schemaname = current_schema()", String.class))
			.hasSize(2)
			.anyMatch((index) -> index.contains("(id)"))
			.anyMatch((index) -> index.contains("(expires_at)"));
	}

	/**
	 * A database that can be switched off.
	 */
	private static final class SwitchedDataSource extends DelegatingDataSource {

		private volatile boolean off;

		private SwitchedDataSource(DataSource target) {
			super(target);
		}

		@Override
		public Connection getConnection() throws SQLException {
			if (this.off) {
				throw new SQLException("switched off", "08001");
			}
			return super.getConnection();
		}

	}

}
