package dev.idempotency.method;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

import javax.sql.DataSource;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.IdempotencyJdbcAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * SQLite has one writer. In a transaction that has written, that is the calling thread,
 * and a claim on another connection would wait for it.
 */
class SqliteMethodTransactionTests {

	@TempDir
	private Path folder;

	@ParameterizedTest
	@ValueSource(strings = { "joining", "annotated", "plain" })
	void saysWhyNothingCanBeClaimedInATransactionThatHasWritten(String method) {
		run("4", (ledger, transaction) -> {
			assertThatExceptionOfType(IdempotencyStoreException.class)
				.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
					ledger.insert("caller");
					Connections.COUNT.set(0);
					ledger.call(method, "1", false);
				}))
				.withStackTraceContaining("SQLite has one writer at a time, and this thread is in a transaction");
			assertThat(Connections.COUNT.get()).as("it does not wait again and again").isEqualTo(1);
			assertThat(ledger.rows()).isEmpty();
			assertThat(ledger.call(method, "1", false)).as("nothing was left behind").isEqualTo(1);
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "joining", "annotated", "plain" })
	void whatComesFirstInATransactionIsCompletedWithIt(String method) {
		run("4", (ledger, transaction) -> {
			transaction.executeWithoutResult((status) -> {
				ledger.call(method, "1", false);
				ledger.insert("caller");
			});
			assertThat(ledger.call(method, "1", false)).isEqualTo(1);
			assertThat(ledger.rows()).containsExactly("1", "caller");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "joining", "annotated" })
	void whatComesFirstInATransactionIsGivenBackWithIt(String method) {
		run("4", (ledger, transaction) -> {
			transaction.executeWithoutResult((status) -> {
				ledger.call(method, "1", false);
				status.setRollbackOnly();
			});
			assertThat(ledger.call(method, "1", false)).isEqualTo(1);
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "joining", "annotated", "plain" })
	void whatHasWrittenAndFailedIsGivenBackAfterTheTransaction(String method) {
		run("4", (ledger, transaction) -> {
			assertThatIllegalStateException()
				.isThrownBy(() -> transaction.executeWithoutResult((status) -> ledger.call(method, "1", true)));
			assertThat(ledger.rows()).isEmpty();
			assertThat(ledger.call(method, "1", false)).isEqualTo(1);
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "joining", "annotated", "plain" })
	void aTransactionThatHasReadCannotWriteAfterAClaimAndLeavesNothingBehind(String method) {
		run("4", (ledger, transaction) -> {
			assertThatExceptionOfType(DataAccessException.class)
				.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
					ledger.rows();
					ledger.call(method, "1", false);
				}))
				.withStackTraceContaining("SQLITE_BUSY_SNAPSHOT");
			assertThat(ledger.rows()).isEmpty();
			assertThat(ledger.call(method, "1", false)).isEqualTo(1);
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	@Test
	void saysWhyNoStepCanBeginInATransactionThatHasWritten() {
		run("4", (ledger, transaction) -> {
			assertThatExceptionOfType(IdempotencyStoreException.class).isThrownBy(() -> ledger.withStep("1", true))
				.withStackTraceContaining("SQLite has one writer at a time, and this thread is in a transaction");
			assertThat(ledger.rows()).isEmpty();
			assertThat(ledger.withStep("1", false)).isEqualTo(1);
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	@Test
	void aPoolOfOneServesMethodsButNotInsideOfTransactions() {
		run("1", (ledger, transaction) -> {
			assertThatExceptionOfType(IdempotencyStoreException.class)
				.isThrownBy(() -> transaction.executeWithoutResult((status) -> ledger.call("joining", "1", false)));
			for (String method : List.of("joining", "annotated", "plain")) {
				assertThat(ledger.call(method, "1", false)).isEqualTo(1);
				assertThat(ledger.call(method, "1", false)).isEqualTo(1);
			}
			assertThat(ledger.rows()).containsExactly("1", "1", "1");
		});
	}

	private void run(String poolSize, Story story) {
		MethodRunner.plain()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
					TransactionAutoConfiguration.class, IdempotencyJdbcAutoConfiguration.class))
			.withPropertyValues(
					"spring.datasource.url=jdbc:sqlite:" + this.folder.resolve("methods.db")
							+ "?journal_mode=WAL&busy_timeout=100",
					"spring.datasource.hikari.maximum-pool-size=" + poolSize,
					"spring.datasource.hikari.connection-timeout=250", "idempotency.store=jdbc",
					"idempotency.jdbc.initialize-schema=always")
			.withBean(Connections.class)
			.withBean(Ledger.class)
			.run((context) -> {
				context.getBean(JdbcTemplate.class)
					.execute("create table ledger (number integer primary key, id varchar(10) not null)");
				story.tell(context.getBean(Ledger.class),
						new TransactionTemplate(context.getBean(PlatformTransactionManager.class)));
			});
	}

	interface Story {

		void tell(Ledger ledger, TransactionTemplate transaction);

	}

	/**
	 * Counts how often a thread asks for a connection. In the background others do, and
	 * they may be those of a context that was closed.
	 */
	static class Connections implements BeanPostProcessor {

		static final ThreadLocal<Integer> COUNT = ThreadLocal.withInitial(() -> 0);

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			return (bean instanceof DataSource dataSource) ? new DelegatingDataSource(dataSource) {

				@Override
				public Connection getConnection() throws SQLException {
					COUNT.set(COUNT.get() + 1);
					return super.getConnection();
				}

			} : bean;
		}

	}

	static class Ledger {

		private final JdbcTemplate jdbc;

		private final ObjectProvider<Ledger> self;

		Ledger(JdbcTemplate jdbc, ObjectProvider<Ledger> self) {
			this.jdbc = jdbc;
			this.self = self;
		}

		List<String> rows() {
			return this.jdbc.queryForList("select id from ledger order by number", String.class);
		}

		void insert(String id) {
			this.jdbc.update("insert into ledger (id) values (?)", id);
		}

		int call(String method, String id, boolean fails) {
			Ledger ledger = this.self.getObject();
			return switch (method) {
				case "joining" -> ledger.joining(id, fails);
				case "annotated" -> ledger.annotated(id, fails);
				default -> ledger.plain(id, fails);
			};
		}

		@Idempotent(key = "#id", transactional = true)
		public int joining(String id, boolean fails) {
			return write(id, fails);
		}

		@Transactional
		@Idempotent(key = "#id")
		public int annotated(String id, boolean fails) {
			return write(id, fails);
		}

		@Idempotent(key = "#id")
		public int plain(String id, boolean fails) {
			return write(id, fails);
		}

		@Idempotent(key = "#id", transactional = true)
		public int withStep(String id, boolean stepAfterwards) {
			int attempt = write(id, false);
			if (stepAfterwards) {
				IdempotencyContext.current().steps().run("mail", String.class, () -> "sent");
			}
			return attempt;
		}

		private int write(String id, boolean fails) {
			insert(id);
			if (fails) {
				throw new IllegalStateException("failed");
			}
			return IdempotencyContext.current().attempt();
		}

	}

}
