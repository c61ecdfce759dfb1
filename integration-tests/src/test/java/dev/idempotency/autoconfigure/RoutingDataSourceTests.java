package dev.idempotency.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import javax.sql.DataSource;

import dev.idempotency.Idempotent;
import dev.idempotency.OnConflict;
import dev.idempotency.OperationInProgressException;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.core.IdempotencyListener;
import dev.idempotency.fixtures.Unchecked;
import dev.idempotency.store.jdbc.InitializeSchema;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import dev.idempotency.store.jdbc.JdbcSettings;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A database for each tenant, and threads that know no tenant: the one that renews
 * leases, those that complete what was begun elsewhere, and the one that purges.
 */
class RoutingDataSourceTests {

	private static final Duration LEASE = Duration.ofSeconds(1);

	private static final ThreadLocal<@Nullable String> TENANT = new ThreadLocal<>();

	private static volatile Work work = new Work();

	private final Map<String, JdbcTemplate> databases = Map.of("one", database(), "other", database());

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, JacksonAutoConfiguration.class,
				JdbcTemplateAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
				TransactionAutoConfiguration.class, IdempotencyAutoConfiguration.class,
				IdempotencyJdbcAutoConfiguration.class, IdempotencyTransactionAutoConfiguration.class,
				IdempotencyMethodAutoConfiguration.class))
		.withBean(DataSource.class, () -> new LazyConnectionDataSourceProxy(new Tenants(this.databases, "one")))
		.withBean(Payments.class)
		.withBean(Losses.class)
		.withPropertyValues("idempotency.lease=" + LEASE.toMillis() + "ms", "idempotency.jdbc.timeout=400ms");

	private static JdbcTemplate database() {
		DataSource dataSource = new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
		new JdbcIdempotencyStore(dataSource, JdbcSettings.defaults()).prepareTable(InitializeSchema.ALWAYS);
		JdbcTemplate database = new JdbcTemplate(dataSource);
		database.execute("create table payment (id varchar(100))");
		return database;
	}

	@BeforeEach
	void begin() {
		work = new Work();
	}

	@AfterEach
	void end() {
		work.mayEnd.countDown();
		TENANT.remove();
	}

	private JdbcTemplate of(String tenant) {
		return Objects.requireNonNull(this.databases.get(tenant));
	}

	private List<String> states(String tenant) {
		return of(tenant).queryForList(
				"select case state when 0 then 'IN_PROGRESS' else 'COMPLETED' end from idempotency_record order by created_at",
				String.class);
	}

	@Test
	void aLongHandlerKeepsItsKeyInTheDatabaseOfItsTenant() {
		this.runner.run((context) -> {
			Payments payments = context.getBean(Payments.class);
			CompletableFuture<String> handler = as("other", () -> payments.pay("1"));
			await().until(() -> work.runs("other") == 1);
			retryForSeveralLeases(() -> as("other", () -> payments.pay("1")));
			assertThat(work.runs("other")).isEqualTo(1);
			assertThat(states("one")).isEmpty();
			work.mayEnd.countDown();
			assertThat(handler.join()).isEqualTo("other paid 1");
			assertThat(states("other")).containsExactly("COMPLETED");
			assertThat(as(null, () -> payments.pay("1")).join()).as("a key of the default").isEqualTo("null paid 1");
			assertThat(context.getBean(Losses.class).count).hasValue(0);
		});
	}

	@Test
	void whatIsCompletedOnAnotherThreadIsCompletedWhereItWasClaimed() {
		this.runner.run((context) -> {
			Payments payments = context.getBean(Payments.class);
			CompletableFuture<String> handler = begunAs("other", () -> payments.payLater("1"));
			await().until(() -> work.runs("other") == 1);
			retryForSeveralLeases(() -> as("other", () -> payments.payLater("1").join()));
			assertThat(work.runs("other")).isEqualTo(1);
			work.mayEnd.countDown();
			assertThat(handler.join()).isEqualTo("other paid 1");
			await().until(() -> states("other").equals(List.of("COMPLETED")));
			assertThat(states("one")).isEmpty();
			assertThat(as("other", () -> payments.payLater("1").join()).join()).isEqualTo("other paid 1");
			assertThat(work.runs("other")).isEqualTo(1);
		});
	}

	@Test
	void whatFailsOnAnotherThreadIsGivenBackWhereItWasClaimed() {
		this.runner.run((context) -> {
			CompletableFuture<String> handler = begunAs("other", () -> context.getBean(Payments.class).failLater("1"));
			work.mayEnd.countDown();
			await().until(handler::isCompletedExceptionally);
			await().until(() -> states("other").isEmpty());
		});
	}

	/**
	 * What is stored late would otherwise be stored for another tenant.
	 */
	@Test
	void aResultThatComesTooLateFindsItsSuccessorWhereItWasClaimed() {
		this.runner.run((context) -> {
			Payments payments = context.getBean(Payments.class);
			CompletableFuture<String> handler = begunAs("other", () -> payments.payLater("1"));
			await().until(() -> work.runs("other") == 1);
			of("other").update("delete from idempotency_record");
			assertThat(as("other", () -> payments.payLater("1").join()).join()).isEqualTo("other paid 1");
			work.mayEnd.countDown();
			await().until(handler::isDone);
			await().until(() -> context.getBean(IdempotencyEngine.class).executionsInProgress() == 0);
			assertThat(states("one")).isEmpty();
			assertThat(states("other")).containsExactly("COMPLETED");
		});
	}

	@Test
	void aTransactionAndItsKeyAreInTheDatabaseOfTheTenant() {
		this.runner.run((context) -> {
			work.mayEnd.countDown();
			as("other", () -> context.getBean(Payments.class).payInTransaction("1")).join();
			assertThat(of("other").queryForList("select id from payment", String.class)).containsExactly("1");
			assertThat(states("other")).containsExactly("COMPLETED");
			assertThat(states("one")).isEmpty();
		});
	}

	/**
	 * All who wait for the same share one wait, and tenants do not wait for the same.
	 */
	@Test
	void nobodyWaitsForTheResultOfAnotherTenant() {
		this.runner.withPropertyValues("idempotency.lease=30s", "idempotency.jdbc.timeout=5s").run((context) -> {
			Payments payments = context.getBean(Payments.class);
			List<CompletableFuture<String>> ones = new ArrayList<>();
			List<CompletableFuture<String>> others = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				ones.add(as("one", () -> payments.payPatiently("1")));
				others.add(as("other", () -> payments.payPatiently("1")));
			}
			await().until(() -> work.runs("one") == 1 && work.runs("other") == 1);
			await().until(() -> context.getBean(IdempotencyEngine.class).attemptsWaiting() == 4);
			work.mayEnd.countDown();
			assertThat(ones).allSatisfy((one) -> assertThat(one.join()).isEqualTo("one paid 1"));
			assertThat(others).allSatisfy((other) -> assertThat(other.join()).isEqualTo("other paid 1"));
		});
	}

	@Test
	void startUpPreparesEveryDatabaseAlsoWhereNoneIsTheDefault() {
		this.databases.values().forEach((each) -> each.execute("drop table idempotency_record"));
		this.runner
			.withBean("routing", DataSource.class, () -> new Tenants(this.databases, null),
					(definition) -> definition.setPrimary(true))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(states("one")).isEmpty();
				assertThat(states("other")).isEmpty();
				assertThatExceptionOfType(RuntimeException.class)
					.isThrownBy(() -> context.getBean(Payments.class).pay("1"));
			});
	}

	@Test
	void purgeSeesEveryDatabase() {
		this.runner.run((context) -> {
			payAsEach(context);
			this.databases.values()
				.forEach((each) -> each.update("update idempotency_record set expires_at = created_at"));
			assertThat(context.getBean(JdbcIdempotencyStore.class).purge(1)).isEqualTo(1);
			assertThat(context.getBean(JdbcIdempotencyStore.class).purge(10)).isEqualTo(1);
			assertThat(states("one")).isEmpty();
			assertThat(states("other")).isEmpty();
		});
	}

	private void payAsEach(ApplicationContext context) {
		work.mayEnd.countDown();
		for (String tenant : this.databases.keySet()) {
			as(tenant, () -> context.getBean(Payments.class).pay("of " + tenant)).join();
		}
	}

	private static <T> CompletableFuture<T> as(@Nullable String tenant, Supplier<T> task) {
		return CompletableFuture.supplyAsync(() -> {
			TENANT.set(tenant);
			return task.get();
		}, RoutingDataSourceTests::start);
	}

	private static CompletableFuture<String> begunAs(String tenant, Supplier<CompletableFuture<String>> task) {
		TENANT.set(tenant);
		try {
			return task.get();
		}
		finally {
			TENANT.remove();
		}
	}

	/**
	 * Does something on a thread that knows no tenant.
	 */
	private static void start(Runnable task) {
		Thread thread = new Thread(task, "nobody's");
		thread.setDaemon(true);
		thread.start();
	}

	private static void retryForSeveralLeases(Supplier<CompletableFuture<String>> retry) {
		long end = System.nanoTime() + LEASE.multipliedBy(3).toNanos();
		while (System.nanoTime() < end) {
			assertThat(retry.get()).failsWithin(Duration.ofSeconds(10))
				.withThrowableThat()
				.havingRootCause()
				.isInstanceOf(OperationInProgressException.class);
		}
	}

	/**
	 * What the handlers do.
	 */
	private static final class Work {

		private final Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();

		private final CountDownLatch mayEnd = new CountDownLatch(1);

		private String run(String id) {
			String tenant = String.valueOf(TENANT.get());
			int run = this.runs.computeIfAbsent(tenant, (key) -> new AtomicInteger()).incrementAndGet();
			if (run == 1) {
				waitForTheEnd();
			}
			return tenant + " paid " + id;
		}

		private void waitForTheEnd() {
			Unchecked.run(() -> assertThat(this.mayEnd.await(60, TimeUnit.SECONDS)).isTrue());
		}

		private int runs(String tenant) {
			AtomicInteger count = this.runs.get(tenant);
			return (count != null) ? count.get() : 0;
		}

	}

	/**
	 * The first run of each tenant takes as long as the test wants.
	 */
	static class Payments {

		private final JdbcTemplate jdbc;

		Payments(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@Idempotent(key = "#id")
		public String pay(String id) {
			return work.run(id);
		}

		@Idempotent(key = "#id", onConflict = OnConflict.WAIT)
		public String payPatiently(String id) {
			return work.run(id);
		}

		@Idempotent(key = "#id", transactional = true)
		public String payInTransaction(String id) {
			this.jdbc.update("insert into payment (id) values (?)", id);
			return work.run(id);
		}

		/**
		 * Ends on a thread that knows no tenant.
		 */
		@Idempotent(key = "#id")
		public CompletableFuture<String> payLater(String id) {
			String tenant = TENANT.get();
			CompletableFuture<String> result = new CompletableFuture<>();
			start(() -> {
				int run = work.runs.computeIfAbsent(String.valueOf(tenant), (key) -> new AtomicInteger())
					.incrementAndGet();
				if (run == 1) {
					work.waitForTheEnd();
				}
				result.complete(tenant + " paid " + id);
			});
			return result;
		}

		@Idempotent(key = "#id")
		public CompletableFuture<String> failLater(String id) {
			CompletableFuture<String> result = new CompletableFuture<>();
			start(() -> {
				work.waitForTheEnd();
				result.completeExceptionally(new IllegalStateException(id));
			});
			return result;
		}

	}

	/**
	 * Leads to the database of the calling thread's tenant.
	 */
	private static final class Tenants extends AbstractRoutingDataSource {

		private Tenants(Map<String, JdbcTemplate> databases, @Nullable String fallback) {
			Map<Object, Object> targets = new LinkedHashMap<>();
			databases.forEach((tenant, database) -> targets.put(tenant, database.getDataSource()));
			setTargetDataSources(targets);
			setLenientFallback(false);
			if (fallback != null) {
				setDefaultTargetDataSource(Objects.requireNonNull(targets.get(fallback)));
			}
			afterPropertiesSet();
		}

		@Override
		protected @Nullable Object determineCurrentLookupKey() {
			return TENANT.get();
		}

	}

	/**
	 * Counts claims that are said to be lost.
	 */
	static class Losses implements IdempotencyListener {

		private final AtomicInteger count = new AtomicInteger();

		@Override
		public void onEvent(IdempotencyEvent event) {
			if (event instanceof IdempotencyEvent.ClaimLost) {
				this.count.incrementAndGet();
			}
		}

	}

}
