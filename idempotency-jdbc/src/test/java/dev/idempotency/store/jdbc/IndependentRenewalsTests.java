package dev.idempotency.store.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.servers.PostgresServer;
import dev.idempotency.servers.TcpProxy;
import dev.idempotency.fixtures.LongExecutions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Leases are renewed where their databases are well, whatever happens elsewhere.
 */
@Tag("slow")
class IndependentRenewalsTests {

	private static final Duration LEASE = Duration.ofSeconds(3);

	private static final JdbcSettings SETTINGS = new JdbcSettings(JdbcSettings.DEFAULT_TABLE, Duration.ofMillis(500));

	private static final int KEYS = 12;

	private static final int NOBODY_LISTENS = 1;

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aTenantWhoseDatabaseStopsAffectsNoOther(boolean hangs) {
		AtomicBoolean stopped = new AtomicBoolean();
		String url = PostgresServer.shared().newSchema();
		try (TcpProxy proxy = new TcpProxy(port(url),
				() -> (answer, bytes) -> stopped.get() ? TcpProxy.SWALLOW : bytes)) {
			String stopping = url.replaceFirst(":\\d+/", ":" + proxy.port() + "/");
			Tenants tenants = new Tenants(
					Map.of("well", pool(PostgresServer.shared().newSchema()), "ill", pool(stopping)));
			JdbcIdempotencyStore store = tenants.store();
			JdbcIdempotencyStore other = tenants.store();
			try (LongExecutions executions = new LongExecutions(store, other, LEASE)) {
				tenants.in("well", () -> {
					store.prepareTable(InitializeSchema.ALWAYS);
					executions.begin(keys("well"));
					return true;
				});
				tenants.in("ill", () -> {
					executions.begin(keys("ill"));
					return true;
				});
				stopped.set(true);
				if (!hangs) {
					proxy.pointTo(NOBODY_LISTENS);
					proxy.cutAll();
				}
				assertThat(tenants.in("well", () -> executions.ranAgain(keys("well"), 3))).isEmpty();
				assertThat(executions.engine().lateLeases()).hasSize(1).containsValue(KEYS);
			}
			store.close();
			other.close();
			tenants.close();
		}
	}

	/**
	 * As on a server whose {@code max_connections} are reached: the pool has its
	 * connections, and there is none for renewals.
	 */
	@Test
	void renewsOnThePoolIfTheServerAllowsNoFurtherConnection() {
		String url = PostgresServer.shared().newSchema();
		String role = "limited_" + UUID.randomUUID().toString().substring(0, 8);
		JdbcTemplate admin = new JdbcTemplate(new DriverManagerDataSource(url));
		admin.execute("create role %s login superuser connection limit 2".formatted(role));
		// A superuser has no limit
		admin.execute("alter role %s nosuperuser".formatted(role));
		admin.execute("grant all on schema %s to %s"
			.formatted(admin.queryForObject("select current_schema()", String.class), role));
		try (HikariDataSource pool = pool(url)) {
			pool.setUsername(role);
			DataSource further = new DriverManagerDataSource(url, role, "any");
			JdbcIdempotencyStore store = new JdbcIdempotencyStore(pool, SETTINGS, (any) -> further);
			store.prepareTable(InitializeSchema.ALWAYS);
			await().until(() -> pool.getHikariPoolMXBean().getTotalConnections() == 2);
			try (LongExecutions executions = new LongExecutions(store, store, LEASE)) {
				executions.begin(keys("limited"));
				assertThat(executions.ranAgain(keys("limited"), 2)).isEmpty();
			}
		}
	}

	private static List<IdempotencyKey> keys(String prefix) {
		return IntStream.range(0, KEYS).mapToObj((i) -> IdempotencyKey.of("pay", prefix + i)).toList();
	}

	private static int port(String url) {
		return Integer.parseInt(url.replaceFirst(".*:(\\d+)/.*", "$1"));
	}

	private static HikariDataSource pool(String url) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		pool.setMaximumPoolSize(2);
		pool.setConnectionTimeout(2000);
		return pool;
	}

	/**
	 * A database for each tenant.
	 */
	private static final class Tenants extends AbstractRoutingDataSource implements AutoCloseable {

		private final ThreadLocal<@Nullable String> current = new ThreadLocal<>();

		private final Map<String, HikariDataSource> pools;

		private Tenants(Map<String, HikariDataSource> pools) {
			this.pools = pools;
			setTargetDataSources(Map.copyOf(pools));
			afterPropertiesSet();
		}

		private JdbcIdempotencyStore store() {
			JdbcIdempotencyStore store = new JdbcIdempotencyStore(this, SETTINGS,
					(pool) -> new DriverManagerDataSource(((HikariDataSource) pool).getJdbcUrl()));
			store.prepareTable(InitializeSchema.ALWAYS);
			return store;
		}

		private <T> T in(String tenant, Supplier<T> work) {
			this.current.set(tenant);
			try {
				return work.get();
			}
			finally {
				this.current.remove();
			}
		}

		@Override
		protected @Nullable Object determineCurrentLookupKey() {
			return this.current.get();
		}

		@Override
		public void close() {
			this.pools.values().forEach(HikariDataSource::close);
		}

	}

}
