package dev.idempotency.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.Settlement;
import dev.idempotency.core.Conclusion;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.servers.PostgresServer;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.RecordFilter;
import dev.idempotency.store.RecordId;
import dev.idempotency.store.RecordSummary;
import dev.idempotency.store.SearchableStore;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The records of all tenants, for people and threads that are nobody's.
 */
@Tag("slow")
class RoutedRecordsTests {

	private static final ClaimTerms TERMS = new ClaimTerms(Duration.ofMinutes(1), Duration.ofHours(1), OnCrash.RETRY,
			OnReplay.READ);

	private static final DataSource UNREACHABLE = new DriverManagerDataSource("jdbc:h2:tcp://localhost:1/none");

	private final Routes routes = new Routes();

	private static DataSource h2() {
		return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
	}

	private JdbcIdempotencyStore store() {
		this.routes.afterPropertiesSet();
		JdbcIdempotencyStore store = new JdbcIdempotencyStore(this.routes, JdbcSettings.defaults());
		store.prepareTable(InitializeSchema.ALWAYS);
		return store;
	}

	private static IdempotencyKey key(String key) {
		return IdempotencyKey.of("pay", key).within("shop");
	}

	private Claim claim(JdbcIdempotencyStore store, String tenant, String key) {
		return this.routes.as(tenant,
				() -> ((ClaimResult.Granted) store.claim(key(key), Fingerprint.none(), TERMS)).claim());
	}

	private static long total(SearchableStore.Counts counts) {
		return counts.counts().stream().mapToLong(SearchableStore.Count::number).sum();
	}

	@Test
	void areFoundCountedAndForgottenWhereverTheyAre() {
		this.routes.to("one", h2()).to("other", h2());
		JdbcIdempotencyStore store = store();
		claim(store, "one", "first");
		claim(store, "other", "second");
		claim(store, "one", "third");
		assertThat(keys(store.search(RecordFilter.all("shop"), 0, 10).records())).containsExactly("third", "second",
				"first");
		assertThat(keys(store.search(RecordFilter.all("shop"), 1, 1).records())).containsExactly("second");
		assertThat(store.count("shop")).satisfies((counts) -> {
			assertThat(counts.exact()).isTrue();
			assertThat(total(counts)).isEqualTo(3);
		});
		RecordId second = RecordId.of(key("second"));
		assertThat(store.find(second)).isPresent();
		assertThat(this.routes.as("one", () -> store.find(key("second")))).isEmpty();
		assertThat(this.routes.as("one", () -> store.forget(key("second")))).isFalse();
		assertThat(store.forget(second)).isTrue();
		assertThat(store.forget(second)).isFalse();
		assertThat(store.find(second)).isEmpty();
		assertThat(store.isEmbedded()).isTrue();
	}

	private static List<String> keys(List<RecordSummary> records) {
		return records.stream().map((record) -> record.key().key()).toList();
	}

	@Test
	void areTwoThoughTheirKeysAreEqual() {
		this.routes.to("one", h2()).to("other", h2());
		JdbcIdempotencyStore store = store();
		Claim ofOne = claim(store, "one", "same");
		Claim ofOther = claim(store, "other", "same");
		assertThat(store.complete(ofOther, StoredResult.tombstone(), Duration.ofHours(1))).isTrue();
		assertThat(store.renew(ofOne, Duration.ofMinutes(1))).isTrue();
		assertThat(store.renew(ofOther, Duration.ofMinutes(1))).isFalse();
		assertThat(store.release(ofOne)).isTrue();
		assertThat(store.forget(ofOne)).isFalse();
		assertThat(this.routes.as("other", () -> store.find(key("same")))).isPresent();
	}

	/**
	 * Each database has a connection of its own for that.
	 */
	@Test
	void areRenewedWhereverTheyAreWhileEveryPoolIsTaken() throws SQLException {
		try (HikariDataSource one = poolOfOne(); HikariDataSource other = poolOfOne()) {
			this.routes.to("one", one).to("other", other).afterPropertiesSet();
			try (JdbcIdempotencyStore store = new JdbcIdempotencyStore(this.routes, JdbcSettings.defaults(),
					(pool) -> new DriverManagerDataSource(((HikariDataSource) pool).getJdbcUrl()))) {
				store.prepareTable(InitializeSchema.ALWAYS);
				List<Claim> claims = List.of(claim(store, "one", "same"), claim(store, "other", "same"));
				try (Connection ofOne = one.getConnection(); Connection ofOther = other.getConnection()) {
					assertThat(claims)
						.allSatisfy((claim) -> assertThat(store.renew(claim, Duration.ofMinutes(1))).isTrue());
					assertThat(ofOne.isClosed() || ofOther.isClosed()).isFalse();
				}
			}
		}
	}

	private static HikariDataSource poolOfOne() {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
		pool.setMaximumPoolSize(1);
		pool.setConnectionTimeout(250);
		return pool;
	}

	@Test
	void areSettledWhereverTheyAre() {
		this.routes.to("one", h2()).to("other", h2());
		JdbcIdempotencyStore store = store();
		claim(store, "other", "abandoned");
		new JdbcTemplate(this.routes.target("other")).update("update idempotency_record set ends_at = created_at");
		try (IdempotencyEngine engine = new IdempotencyEngine(store, EngineSettings.of("shop"), new MonotonicClock(),
				List.of())) {
			assertThat(engine.records()
				.settle(RecordId.of(key("abandoned")), OperationPolicy.of(Duration.ofHours(1), Duration.ofMinutes(1)),
						new Conclusion.NotDone()))
				.isEqualTo(Settlement.SETTLED);
		}
		assertThat(total(store.count("shop"))).isZero();
	}

	@Test
	void areCountedOnceInADatabaseThatTwoWaysLeadTo() {
		String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
		this.routes.to("one", new DriverManagerDataSource(url))
			.to("alias", new DriverManagerDataSource(url))
			.to("other", h2());
		JdbcIdempotencyStore store = store();
		claim(store, "alias", "first");
		assertThat(total(store.count("shop"))).isEqualTo(1);
	}

	@Test
	void areNotLookedForInReplicas() {
		String url = PostgresServer.shared().newSchema();
		HikariDataSource replica = new HikariDataSource();
		replica.setJdbcUrl(url + "&ApplicationName=replica");
		replica.setConnectionInitSql("set default_transaction_read_only = on");
		replica.setMaximumPoolSize(1);
		this.routes.to("primary", new DriverManagerDataSource(url)).to("replica", replica);
		JdbcIdempotencyStore store = store();
		Claim claim = claim(store, "primary", "first");
		assertThat(total(store.count("shop"))).isEqualTo(1);
		assertThat(store.search(RecordFilter.all("shop"), 0, 10).records()).hasSize(1);
		assertThat(store.complete(claim, StoredResult.tombstone(), Duration.ofMillis(1))).isTrue();
		new JdbcTemplate(this.routes.target("primary")).update("update idempotency_record set expires_at = created_at");
		assertThat(store.purge(10)).isEqualTo(1);
		replica.close();
	}

	/**
	 * One tenant whose database is down is no trouble of the others.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void areAllButThoseThatCannotBeReached(boolean down) {
		HikariDataSource misconfigured = new HikariDataSource();
		misconfigured.setJdbcUrl("jdbc:none:nowhere");
		this.routes.to("down", down ? UNREACHABLE : misconfigured).to("one", h2()).to("other", h2());
		this.routes.afterPropertiesSet();
		JdbcIdempotencyStore store = new JdbcIdempotencyStore(this.routes, JdbcSettings.defaults());
		assertThatExceptionOfType(DataAccessException.class)
			.isThrownBy(() -> store.prepareTable(InitializeSchema.ALWAYS));
		claim(store, "one", "first");
		claim(store, "other", "second");
		assertThat(store.search(RecordFilter.all("shop"), 0, 10)).satisfies((found) -> {
			assertThat(found.records()).hasSize(2);
			assertThat(found.complete()).isFalse();
		});
		assertThat(store.count("shop").exact()).isFalse();
		assertThat(store.find(RecordId.of(key("second")))).isPresent();
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> store.find(RecordId.of(key("third"))));
		for (String tenant : List.of("one", "other")) {
			new JdbcTemplate(this.routes.target(tenant))
				.update("update idempotency_record set expires_at = created_at");
		}
		assertThat(store.purge(1)).isEqualTo(1);
		assertThat(store.purge(1)).isEqualTo(1);
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> store.purge(1));
		assertThat(store.isEmbedded()).isFalse();
	}

	/**
	 * Some route to tenants that nobody has listed.
	 */
	@Test
	void areKnownInDatabasesThatSomeoneWasLedToAndForgottenWithThem() {
		this.routes.to("one", h2());
		JdbcIdempotencyStore store = store();
		HikariDataSource added = poolOfOne();
		new JdbcIdempotencyStore(added, JdbcSettings.defaults()).prepareTable(InitializeSchema.ALWAYS);
		this.routes.unlisted.put("added", added);
		claim(store, "added", "first");
		assertThat(total(store.count("shop"))).isEqualTo(1);
		added.close();
		assertThat(store.count("shop").exact()).isFalse();
		assertThat(store.count("shop").exact()).isTrue();
	}

	@Test
	void sayWhichDatabaseHasNoTable() {
		this.routes.to("one", h2()).to("other", new DriverManagerDataSource("jdbc:h2:mem:bare;DB_CLOSE_DELAY=-1"));
		this.routes.afterPropertiesSet();
		new JdbcIdempotencyStore(this.routes.target("one"), JdbcSettings.defaults())
			.prepareTable(InitializeSchema.ALWAYS);
		JdbcIdempotencyStore store = new JdbcIdempotencyStore(this.routes, JdbcSettings.defaults());
		assertThatExceptionOfType(IdempotencyConfigurationException.class)
			.isThrownBy(() -> store.prepareTable(InitializeSchema.NEVER))
			.withMessageContaining("BARE");
	}

	/**
	 * Leads to the database of the calling thread's tenant; others are led nowhere.
	 */
	private static final class Routes extends AbstractRoutingDataSource {

		private final ThreadLocal<@Nullable String> tenant = new ThreadLocal<>();

		private final Map<Object, Object> listed = new LinkedHashMap<>();

		private final Map<String, DataSource> unlisted = new LinkedHashMap<>();

		private Routes() {
			setTargetDataSources(this.listed);
		}

		private Routes to(String name, DataSource dataSource) {
			this.listed.put(name, dataSource);
			return this;
		}

		private DataSource target(String name) {
			return (DataSource) Objects.requireNonNull(this.listed.get(name));
		}

		private <T> T as(String name, Supplier<T> work) {
			this.tenant.set(name);
			try {
				return work.get();
			}
			finally {
				this.tenant.remove();
			}
		}

		@Override
		protected @Nullable Object determineCurrentLookupKey() {
			return this.tenant.get();
		}

		@Override
		protected DataSource determineTargetDataSource() {
			DataSource added = this.unlisted.get(String.valueOf(this.tenant.get()));
			return (added != null) ? added : super.determineTargetDataSource();
		}

	}

}
