package dev.idempotency.autoconfigure;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.fixtures.Unchecked;
import dev.idempotency.servers.MariaDbServer;
import dev.idempotency.servers.PostgresServer;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.OnReplay;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Where renewals get their connection from, when handlers have all those of the pool.
 */
@ExtendWith(OutputCaptureExtension.class)
class RenewalDataSourceTests {

	private static final Duration LEASE = Duration.ofMinutes(1);

	private static final ClaimTerms TERMS = new ClaimTerms(LEASE, Duration.ofHours(1), OnCrash.RETRY, OnReplay.READ);

	private static final String WARNING = "Leases are renewed on connections of";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(IdempotencyAutoConfiguration.class, IdempotencyJdbcAutoConfiguration.class))
		.withPropertyValues("spring.application.name=shop", "idempotency.jdbc.initialize-schema=always");

	private static String h2() {
		return "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
	}

	private static HikariDataSource hikari(String url) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(url);
		pool.setMaximumPoolSize(1);
		pool.setConnectionTimeout(500);
		return pool;
	}

	/**
	 * Claims a key, takes the only connection of the pool, and renews.
	 */
	private void renewsWhileTheOnlyConnectionIsTaken(DataSource dataSource) {
		this.runner.withBean(DataSource.class, () -> dataSource).run((context) -> {
			IdempotencyStore store = context.getBean(IdempotencyStore.class);
			Claim claim = claim(store);
			try (Connection taken = dataSource.getConnection()) {
				// Some are opened when they are used
				taken.getMetaData();
				assertThat(store.renew(claim, LEASE)).isTrue();
				assertThat(store.renew(claim, LEASE)).isTrue();
			}
			assertThat(store.release(claim)).isTrue();
		});
	}

	private static Claim claim(IdempotencyStore store) {
		IdempotencyKey key = IdempotencyKey.of("pay", UUID.randomUUID().toString()).within("shop");
		return ((ClaimResult.Granted) store.claim(key, Fingerprint.none(), TERMS)).claim();
	}

	@Test
	void isDerivedFromAPoolOfHikari(CapturedOutput output) {
		renewsWhileTheOnlyConnectionIsTaken(hikari(h2()));
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void isDerivedWithItsCredentials() {
		String url = h2();
		new JdbcTemplate(new DriverManagerDataSource(url)).execute("create user payer password 'secret' admin");
		HikariDataSource pool = hikari(url, "secret");
		renewsWhileTheOnlyConnectionIsTaken(pool);
	}

	/**
	 * As Vault or a job does it: the pool gets the new password, or another pool takes
	 * its place.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void followsThePoolWhenItsPasswordIsRotated(boolean inPlace) {
		String url = h2();
		JdbcTemplate admin = new JdbcTemplate(new DriverManagerDataSource(url));
		admin.execute("create user payer password 'secret' admin");
		HikariDataSource first = hikari(url, "secret");
		DelegatingDataSource dataSource = new DelegatingDataSource(first);
		this.runner.withBean(DataSource.class, () -> proxy(dataSource)).run((context) -> {
			IdempotencyStore store = context.getBean(IdempotencyStore.class);
			Claim claim = claim(store);
			assertThat(store.renew(claim, LEASE)).isTrue();
			admin.execute("alter user payer set password 'another'");
			HikariDataSource pool = inPlace ? first : hikari(url, "another");
			dataSource.setTargetDataSource(pool);
			first.getHikariConfigMXBean().setPassword("another");
			// So that renewals need a new one
			admin
				.queryForList("select session_id from information_schema.sessions where user_name = 'PAYER'",
						Integer.class)
				.forEach((session) -> admin.execute("call abort_session(%d)".formatted(session)));
			first.getHikariPoolMXBean().softEvictConnections();
			try (Connection taken = pool.getConnection()) {
				await().ignoreExceptions().until(() -> store.renew(claim, LEASE));
				assertThat(taken.isClosed()).isFalse();
			}
			pool.close();
		});
		first.close();
	}

	private static HikariDataSource hikari(String url, String password) {
		HikariDataSource pool = hikari(url);
		pool.setUsername("payer");
		pool.setPassword(password);
		return pool;
	}

	@Test
	void isDerivedWithTheClassOfItsDataSource() {
		HikariDataSource pool = hikari(h2());
		String url = pool.getJdbcUrl();
		pool.setJdbcUrl(null);
		pool.setDataSourceClassName("org.h2.jdbcx.JdbcDataSource");
		pool.addDataSourceProperty("url", url);
		renewsWhileTheOnlyConnectionIsTaken(pool);
	}

	@Test
	void isDerivedWithItsSchemaAndWhatIsSaidToEachConnection() {
		String url = PostgresServer.shared().newSchema();
		new JdbcTemplate(new DriverManagerDataSource(url)).execute("create schema elsewhere_" + id(url));
		HikariDataSource withSchema = hikari(url);
		withSchema.setSchema("elsewhere_" + id(url));
		renewsWhileTheOnlyConnectionIsTaken(withSchema);
		HikariDataSource withInitSql = hikari(PostgresServer.shared().url());
		withInitSql.setConnectionInitSql("set search_path to elsewhere_" + id(url));
		withInitSql.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
		withInitSql.setAutoCommit(false);
		renewsWhileTheOnlyConnectionIsTaken(withInitSql);
	}

	private static String id(String url) {
		return url.substring(url.lastIndexOf('=') + 1);
	}

	@Test
	void isRefusedForADataSourceThatLeadsToSeveralDatabases() {
		AbstractRoutingDataSource routes = new AbstractRoutingDataSource() {

			@Override
			protected Object determineCurrentLookupKey() {
				return "one";
			}

		};
		routes.setTargetDataSources(
				Map.of("one", new DriverManagerDataSource(h2()), "other", new DriverManagerDataSource(h2())));
		this.runner.withBean("routes", DataSource.class, () -> routes)
			.withBean("renewals", DataSource.class, () -> new DriverManagerDataSource(h2()))
			.withPropertyValues("idempotency.jdbc.data-source=routes", "idempotency.jdbc.renewal-data-source=renewals")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(IdempotencyConfigurationException.class)
				.hasMessageContaining("leads to several databases"));
	}

	@Test
	void isDerivedOnMariaDb() {
		String url = MariaDbServer.shared().url();
		renewsWhileTheOnlyConnectionIsTaken(hikari(url));
	}

	@Test
	void isDerivedOnSqlite(@TempDir Path folder) {
		renewsWhileTheOnlyConnectionIsTaken(
				hikari("jdbc:sqlite:" + folder.resolve("renewals.db") + "?journal_mode=WAL&busy_timeout=10000"));
	}

	@Test
	void isDerivedFromAPoolInsideOfOthers(CapturedOutput output) {
		renewsWhileTheOnlyConnectionIsTaken(new LazyConnectionDataSourceProxy(hikari(h2())));
		renewsWhileTheOnlyConnectionIsTaken(new TransactionAwareDataSourceProxy(hikari(h2())));
		renewsWhileTheOnlyConnectionIsTaken(new DelegatingDataSource(new LazyConnectionDataSourceProxy(hikari(h2()))));
		renewsWhileTheOnlyConnectionIsTaken(proxy(hikari(h2())));
		assertThat(output).doesNotContain(WARNING);
	}

	private static DataSource proxy(DataSource target) {
		return (DataSource) Proxy.newProxyInstance(RenewalDataSourceTests.class.getClassLoader(),
				new Class<?>[] { DataSource.class }, (proxy, method, arguments) -> {
					try {
						return method.invoke(target, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	@Test
	void isDerivedFromAnyPoolThatTellsItsUrl(CapturedOutput output) {
		renewsWhileTheOnlyConnectionIsTaken(new OpenPool(h2(), (connection) -> {
		}));
		assertThat(output).doesNotContain(WARNING);
	}

	/**
	 * Nobody can tell what such a pool says to each connection, but its schema is seen.
	 */
	@Test
	void seesTheSchemaOfAnyPool() {
		String url = PostgresServer.shared().newSchema();
		new JdbcTemplate(new DriverManagerDataSource(url)).execute("create schema hidden_" + id(url));
		renewsWhileTheOnlyConnectionIsTaken(new OpenPool(PostgresServer.shared().url(), (connection) -> {
			Unchecked.run(() -> connection.setSchema("hidden_" + id(url)));
		}));
	}

	@Test
	void isNotNeededWhereThereIsNoPool(CapturedOutput output) {
		org.h2.jdbcx.JdbcDataSource ofDriver = new org.h2.jdbcx.JdbcDataSource();
		ofDriver.setUrl(h2());
		for (DataSource unpooled : new DataSource[] { new DriverManagerDataSource(h2()), ofDriver,
				new LazyConnectionDataSourceProxy(ofDriver) }) {
			assertThat(new DerivedDataSources(Duration.ofSeconds(1)).beside(unpooled)).isNull();
			renewsWhileTheOnlyConnectionIsTaken(unpooled);
		}
		assertThat(output).doesNotContain(WARNING);
	}

	/**
	 * Another connection to such a database would be one to another database.
	 */
	@ParameterizedTest
	@ValueSource(
			strings = { "jdbc:sqlite::memory:", "jdbc:sqlite:", "jdbc:h2:mem:", "jdbc:h2:mem:;TRACE_LEVEL_FILE=0" })
	void staysInADatabaseThatBelongsToOneConnection(String url, CapturedOutput output) {
		this.runner.withBean(DataSource.class, () -> hikari(url)).run((context) -> {
			IdempotencyStore store = context.getBean(IdempotencyStore.class);
			Claim claim = claim(store);
			assertThat(store.renew(claim, LEASE)).isTrue();
		});
		assertThat(output).doesNotContain(WARNING);
	}

	@ParameterizedTest
	@CsvSource({ "jdbc:sqlite::memory:?cache=shared,false", "jdbc:sqlite:file:orders?mode=memory,true",
			"jdbc:sqlite:file:orders?mode=memory&cache=shared,false", "jdbc:sqlite:orders.db,false",
			"jdbc:h2:mem:orders,false", "jdbc:h2:file:./orders,false", "jdbc:postgresql:orders,false" })
	void knowsADatabaseThatBelongsToOneConnection(String url, boolean expected) {
		assertThat(PrivateDatabases.isPrivate(url)).isEqualTo(expected);
	}

	@Test
	void comesFromThePoolWhereNothingCanBeDerivedAndStartUpSaysSo(CapturedOutput output) {
		this.runner.withBean(DataSource.class, () -> new ClosedPool(h2())).run((context) -> {
			IdempotencyStore store = context.getBean(IdempotencyStore.class);
			assertThat(store.renew(claim(store), LEASE)).isTrue();
		});
		assertThat(output.toString().split(WARNING, -1)).hasSize(2);
		assertThat(output).contains("idempotency.jdbc.renewal-data-source");
	}

	@Test
	void comesFromTheDataSourceThatTheSettingsName(CapturedOutput output) {
		String url = h2();
		ClosedPool pool = new ClosedPool(url);
		this.runner.withBean("orders", DataSource.class, () -> pool)
			.withBean("renewals", HikariDataSource.class, () -> hikari(url))
			.withPropertyValues("idempotency.jdbc.data-source=orders", "idempotency.jdbc.renewal-data-source=renewals")
			.run((context) -> {
				IdempotencyStore store = context.getBean(IdempotencyStore.class);
				Claim claim = claim(store);
				try (Connection taken = pool.getConnection()) {
					assertThat(store.renew(claim, LEASE)).isTrue();
					assertThat(taken.isClosed()).isFalse();
				}
				((AutoCloseable) store).close();
				assertThat(context.getBean(HikariDataSource.class).isClosed()).as("closed by the application")
					.isFalse();
			});
		assertThat(output).doesNotContain(WARNING);
	}

	@Test
	void isRefusedWhereThereIsNone() {
		this.runner.withBean("orders", DataSource.class, () -> new DriverManagerDataSource(h2()))
			.withPropertyValues("idempotency.jdbc.renewal-data-source=order")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(IdempotencyConfigurationException.class, (ex) -> {
					assertThat(ex).hasMessageContaining("idempotency.jdbc.renewal-data-source is \"order\"");
					assertThat(ex.remedy()).asString().contains("orders");
				}));
	}

	/**
	 * A renewal begins at half of a lease, and would be over after its end.
	 */
	@Test
	void isRefusedWhereItIsThePoolItselfAndWaitsForTooLong() {
		HikariDataSource pool = hikari(h2());
		pool.setConnectionTimeout(15_000);
		ApplicationContextRunner onThePool = this.runner
			.withBean("orders", DataSource.class, () -> new LazyConnectionDataSourceProxy(pool))
			.withPropertyValues("idempotency.jdbc.renewal-data-source=orders");
		onThePool.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOfSatisfying(IdempotencyConfigurationException.class, (ex) -> {
				assertThat(ex).hasMessageContaining("PT15S").hasMessageContaining("PT30S");
				assertThat(ex.remedy()).asString().contains("connection-timeout");
			}));
		onThePool.withPropertyValues("idempotency.lease=31s").run((context) -> assertThat(context).hasNotFailed());
		pool.close();
	}

	@Test
	void isClosedWithTheStore() {
		HikariDataSource pool = hikari(h2());
		this.runner.withBean(DataSource.class, () -> pool).run((context) -> {
			IdempotencyStore store = context.getBean(IdempotencyStore.class);
			Claim claim = claim(store);
			store.renew(claim, LEASE);
			assertThat(sessions(pool)).isEqualTo(2);
			((AutoCloseable) store).close();
			assertThat(sessions(pool)).isEqualTo(1);
		});
	}

	private static @Nullable Integer sessions(DataSource pool) {
		return new JdbcTemplate(pool).queryForObject("select count(*) from information_schema.sessions", Integer.class);
	}

	/**
	 * A pool of one connection that tells nothing about itself.
	 */
	static class ClosedPool extends AbstractDataSource {

		private final Semaphore connections = new Semaphore(1);

		private final DriverManagerDataSource database;

		ClosedPool(String url) {
			this.database = new DriverManagerDataSource(url);
		}

		@Override
		public Connection getConnection() throws SQLException {
			try {
				if (!this.connections.tryAcquire(500, TimeUnit.MILLISECONDS)) {
					throw new SQLException("All connections are taken");
				}
			}
			catch (InterruptedException ex) {
				throw new SQLException(ex);
			}
			Connection connection = this.database.getConnection();
			return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
					(proxy, method, arguments) -> {
						if (method.getName().equals("close")) {
							this.connections.release();
						}
						try {
							return method.invoke(connection, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					});
		}

		@Override
		public Connection getConnection(String username, String password) throws SQLException {
			return getConnection();
		}

	}

	/**
	 * A pool of one connection whose properties can be read.
	 */
	public static final class OpenPool extends ClosedPool {

		private final String url;

		private final Consumer<Connection> setUp;

		OpenPool(String url, Consumer<Connection> setUp) {
			super(url);
			this.url = url;
			this.setUp = setUp;
		}

		@Override
		public Connection getConnection() throws SQLException {
			Connection connection = super.getConnection();
			this.setUp.accept(connection);
			return connection;
		}

		public String getUrl() {
			return this.url;
		}

		public @Nullable String getUsername() {
			return null;
		}

		public @Nullable String getPassword() {
			return null;
		}

	}

}
