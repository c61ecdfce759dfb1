package dev.idempotency.autoconfigure;

import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.Idempotent;
import dev.idempotency.OperationInProgressException;
import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.core.IdempotencyListener;
import dev.idempotency.fixtures.Unchecked;
import dev.idempotency.servers.PostgresServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two instances on one database, whose handlers take every connection of their pool for
 * longer than several leases.
 */
@Tag("slow")
class PoolStarvationTests {

	private static final Duration LEASE = Duration.ofSeconds(2);

	private static final String PLAIN = "plain";

	private static final String IDLE = "without a connection";

	private static final String TRANSACTIONAL = "transactional";

	private static final int POOL = 2;

	private static volatile Work work = new Work();

	private final String url = PostgresServer.shared().newSchema();

	private final JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(this.url));

	private final ApplicationContextRunner instance = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, JacksonAutoConfiguration.class,
				DataSourceAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
				IdempotencyAutoConfiguration.class, IdempotencyJdbcAutoConfiguration.class,
				IdempotencyTransactionAutoConfiguration.class, IdempotencyMethodAutoConfiguration.class))
		.withBean(Payments.class)
		.withBean(Losses.class)
		.withPropertyValues("spring.application.name=shop", "spring.datasource.url=" + this.url,
				"spring.datasource.hikari.maximum-pool-size=" + POOL, "idempotency.jdbc.initialize-schema=always",
				"idempotency.lease=" + LEASE.toMillis() + "ms", "idempotency.jdbc.timeout=900ms");

	@BeforeEach
	void begin() {
		work = new Work();
		this.jdbc.execute("create table payment (id varchar(100))");
	}

	@AfterEach
	void end() {
		work.mayEnd.countDown();
	}

	@Test
	void handlersThatHoldThePoolKeepTheirKeys() {
		ApplicationContextRunner impatient = this.instance
			.withPropertyValues("spring.datasource.hikari.connection-timeout=" + LEASE.toMillis());
		impatient.run((one) -> impatient.run((other) -> {
			List<CompletableFuture<Void>> handlers = List.of(inBackground(() -> pay(one, PLAIN)),
					inBackground(() -> pay(one, TRANSACTIONAL)));
			await().until(() -> work.runs() == POOL);
			CompletableFuture<Void> retries = inBackground(() -> retryForSeveralLeases(one));
			retryForSeveralLeases(other);
			retries.join();
			assertThat(work.runs).hasSize(POOL).allSatisfy((id, runs) -> assertThat(runs).as(id).hasValue(1));
			work.mayEnd.countDown();
			handlers.forEach(CompletableFuture::join);
			assertThat(paid()).containsExactly(PLAIN, TRANSACTIONAL);
			assertThat(one.getBean(Losses.class).count).hasValue(0);
		}));
	}

	/**
	 * The claim's own completion waits for a connection, longer than the lease lasts.
	 */
	@Test
	void aCompletionThatWaitsForThePoolKeepsItsKey() {
		this.instance.run((one) -> this.instance.run((other) -> {
			CompletableFuture<Void> handler = inBackground(() -> pay(one, IDLE));
			await().until(() -> work.runs() == 1);
			CountDownLatch held = new CountDownLatch(POOL);
			CountDownLatch giveBack = new CountDownLatch(1);
			for (int i = 0; i < POOL; i++) {
				start(() -> hold(one, held, giveBack));
			}
			awaitQuietly(held);
			work.mayEnd.countDown();
			await().until(() -> waiting(one) == 1);
			retryForSeveralLeases(other);
			assertThat(work.runs.get(IDLE)).hasValue(1);
			giveBack.countDown();
			handler.join();
			assertThat(this.jdbc.queryForList(
					"select case state when 0 then 'IN_PROGRESS' else 'COMPLETED' end from idempotency_record",
					String.class))
				.containsExactly("COMPLETED");
			assertThat(one.getBean(Losses.class).count).hasValue(0);
		}));
	}

	private static int waiting(ApplicationContext instance) {
		return ((HikariDataSource) instance.getBean(DataSource.class)).getHikariPoolMXBean()
			.getThreadsAwaitingConnection();
	}

	private static void hold(ApplicationContext instance, CountDownLatch held, CountDownLatch giveBack) {
		instance.getBean(JdbcTemplate.class).execute((ConnectionCallback<Boolean>) (connection) -> {
			held.countDown();
			awaitQuietly(giveBack);
			return true;
		});
	}

	private static void retryForSeveralLeases(ApplicationContext instance) {
		long end = System.nanoTime() + LEASE.multipliedBy(5).dividedBy(2).toNanos();
		while (System.nanoTime() < end) {
			work.runs.keySet().forEach((id) -> retry(instance, id));
		}
	}

	private static void retry(ApplicationContext instance, String id) {
		try {
			pay(instance, id);
		}
		catch (OperationInProgressException | IdempotencyStoreException ex) {
			// It runs, or there is no connection to find out
		}
	}

	private static void pay(ApplicationContext instance, String id) {
		Payments payments = instance.getBean(Payments.class);
		if (id.equals(TRANSACTIONAL)) {
			payments.payInTransaction(id);
		}
		else if (id.equals(IDLE)) {
			payments.payWithoutConnection(id);
		}
		else {
			payments.pay(id);
		}
	}

	private List<String> paid() {
		return this.jdbc.queryForList("select id from payment order by id", String.class);
	}

	private static CompletableFuture<Void> inBackground(Runnable task) {
		return CompletableFuture.runAsync(task, PoolStarvationTests::start);
	}

	private static void start(Runnable task) {
		Thread thread = new Thread(task, "starving");
		thread.setDaemon(true);
		thread.start();
	}

	private static void awaitQuietly(CountDownLatch latch) {
		Unchecked.run(() -> assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue());
	}

	/**
	 * What the handlers of all instances do.
	 */
	private static final class Work {

		private final Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();

		private final CountDownLatch mayEnd = new CountDownLatch(1);

		private void run(String id) {
			if (this.runs.computeIfAbsent(id, (key) -> new AtomicInteger()).incrementAndGet() == 1) {
				awaitQuietly(this.mayEnd);
			}
		}

		private int runs() {
			return this.runs.values().stream().mapToInt(AtomicInteger::get).sum();
		}

	}

	/**
	 * The first run of each payment takes as long as the test wants, and nearly all hold
	 * a connection.
	 */
	static class Payments {

		private final JdbcTemplate jdbc;

		Payments(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@Idempotent(key = "#id")
		public void pay(String id) {
			run(id);
		}

		@Idempotent(key = "#id", transactional = true)
		public void payInTransaction(String id) {
			run(id);
		}

		@Idempotent(key = "#id")
		public void payWithoutConnection(String id) {
			work.run(id);
		}

		private void run(String id) {
			this.jdbc.execute((ConnectionCallback<Boolean>) (connection) -> {
				try (PreparedStatement insert = connection.prepareStatement("insert into payment (id) values (?)")) {
					insert.setString(1, id);
					insert.executeUpdate();
				}
				work.run(id);
				return true;
			});
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
