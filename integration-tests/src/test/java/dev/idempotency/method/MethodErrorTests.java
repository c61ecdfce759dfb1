package dev.idempotency.method;

import java.util.UUID;

import dev.idempotency.Idempotent;
import dev.idempotency.ResultNotReplayableException;
import dev.idempotency.autoconfigure.IdempotencyJdbcAutoConfiguration;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.servers.PostgresServer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An {@link Error} after a method has returned: the caller is told, its transaction is
 * undone and leaves its thread, and its key is not held for ever.
 */
class MethodErrorTests {

	@ParameterizedTest
	@ValueSource(strings = { "h2", "postgres" })
	void settlesWhatAnErrorLeavesBehind(String database) {
		MethodRunner.plain()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
					TransactionAutoConfiguration.class, IdempotencyJdbcAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=" + url(database), "idempotency.store=jdbc",
					"idempotency.jdbc.initialize-schema=always")
			.withBean(Ledger.class)
			.run((context) -> {
				JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
				jdbc.execute("create table ledger (text varchar(20))");
				Ledger ledger = context.getBean(Ledger.class);
				assertThatExceptionOfType(NoClassDefFoundError.class).isThrownBy(() -> ledger.plain("result"));
				assertThatExceptionOfType(ResultNotReplayableException.class).isThrownBy(() -> ledger.plain("result"));
				assertThat(ledger.rows()).as("it has run").isEqualTo(1);
				for (String fault : new String[] { "result", "commit", "work" }) {
					assertThatExceptionOfType(NoClassDefFoundError.class).isThrownBy(() -> ledger.transactional(fault));
					assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
					assertThat(ledger.rows()).as("undone after an error of its %s", fault).isEqualTo(1);
				}
				assertThatExceptionOfType(NoClassDefFoundError.class).isThrownBy(() -> ledger.transactional("commit"));
				assertThat(context.getBean(IdempotencyEngine.class).executionsInProgress()).isZero();
				assertThat(jdbc.queryForList(
						"select case state when 0 then 'IN_PROGRESS' else 'COMPLETED' end from idempotency_record",
						String.class))
					.containsExactly("COMPLETED");
			});
	}

	private static String url(String database) {
		return database.equals("h2") ? "jdbc:h2:mem:method-error-" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"
				: PostgresServer.shared().newSchema();
	}

	/**
	 * What cannot be written, if its text says so.
	 */
	record Line(String text) {

		public String getMore() {
			if (this.text.equals("result")) {
				throw new NoClassDefFoundError("as planned");
			}
			return this.text;
		}

	}

	static class Ledger {

		private final JdbcTemplate jdbc;

		Ledger(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		public int rows() {
			Integer count = this.jdbc.queryForObject("select count(*) from ledger", Integer.class);
			return (count != null) ? count : -1;
		}

		@Idempotent(key = "#fault")
		public Line plain(String fault) {
			return enter(fault);
		}

		@Idempotent(key = "#fault", transactional = true)
		public Line transactional(String fault) {
			Line line = enter(fault);
			if (fault.equals("work")) {
				throw new NoClassDefFoundError("as planned");
			}
			if (fault.equals("commit")) {
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void beforeCommit(boolean readOnly) {
						throw new NoClassDefFoundError("as planned");
					}

				});
			}
			return line;
		}

		private Line enter(String text) {
			this.jdbc.update("insert into ledger values (?)", text);
			return new Line(text);
		}

	}

}
