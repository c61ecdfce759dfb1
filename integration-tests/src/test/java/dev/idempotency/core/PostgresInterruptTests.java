package dev.idempotency.core;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariDataSource;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.servers.PostgresServer;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.jdbc.InitializeSchema;
import dev.idempotency.store.jdbc.JdbcIdempotencyStore;
import dev.idempotency.store.jdbc.JdbcSettings;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class PostgresInterruptTests extends InterruptContract {

	@AutoClose
	private final HikariDataSource dataSource = new HikariDataSource();

	private final JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);

	@Override
	IdempotencyStore store() {
		this.dataSource.setJdbcUrl(PostgresServer.shared().newSchema());
		this.dataSource.setMaximumPoolSize(6);
		JdbcIdempotencyStore store = new JdbcIdempotencyStore(this.dataSource, JdbcSettings.defaults());
		store.prepareTable(InitializeSchema.ALWAYS);
		return store;
	}

	@Test
	void commitsOnAThreadThatIsInterrupted() throws Exception {
		PlatformTransactionManager manager = new DataSourceTransactionManager(this.dataSource);
		Execution execution = begin(IdempotencyKey.of("pay", UUID.randomUUID().toString()));
		CompletableFuture<Completion> completion = new CompletableFuture<>();
		newThread(() -> completion.completeAsync(() -> {
			TransactionStatus status = manager.getTransaction(null);
			Thread.currentThread().interrupt();
			return execution.completeIn(new Transactions.Transaction() {

				@Override
				public void commit() {
					manager.commit(status);
				}

				@Override
				public void rollBack() {
					manager.rollback(status);
				}

			}, null);
		}, Runnable::run)).start();
		assertThat(completion.get(20, TimeUnit.SECONDS)).isEqualTo(Completion.stored(false));
	}

	/**
	 * A new connection takes longest.
	 */
	@Override
	void coolDown() {
		this.dataSource.getHikariPoolMXBean().softEvictConnections();
	}

	@Override
	AutoCloseable hold() throws Exception {
		Connection connection = this.dataSource.getConnection();
		connection.setAutoCommit(false);
		try (Statement statement = connection.createStatement()) {
			statement.execute("lock table idempotency_record in access exclusive mode");
		}
		return () -> {
			connection.commit();
			connection.close();
		};
	}

	@Override
	void awaitWaiting(Thread thread) {
		await().pollInterval(Duration.ofMillis(5))
			.until(() -> Objects.requireNonNull(this.jdbc.queryForObject(
					"select count(*) from pg_locks where not granted and relation = 'idempotency_record'::regclass",
					Integer.class)) > 0);
	}

}
