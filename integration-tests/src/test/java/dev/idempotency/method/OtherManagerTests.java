package dev.idempotency.method;

import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.IdempotencyJdbcAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A method follows the transaction that its work is a part of, and no other one that its
 * thread happens to be in.
 */
class OtherManagerTests {

	private final ApplicationContextRunner runner = MethodRunner.plain()
		.withConfiguration(
				AutoConfigurations.of(TransactionAutoConfiguration.class, IdempotencyJdbcAutoConfiguration.class))
		.withPropertyValues("idempotency.store=jdbc", "idempotency.jdbc.initialize-schema=always")
		.withUserConfiguration(TwoDatabases.class);

	/**
	 * The outer transaction is rolled back after the method's own was committed.
	 */
	@ParameterizedTest
	@CsvSource({ "joining, true", "annotated, true", "joining, false", "annotated, false" })
	void endsWithItsOwnTransactionInsideOfAnother(String method, boolean synchronizing) {
		run((ledger, ours, other) -> {
			if (!synchronizing) {
				doNotSynchronize(other);
			}
			template(other).executeWithoutResult((status) -> {
				ledger.call(method, "1");
				status.setRollbackOnly();
			});
			assertThat(ledger.rows()).containsExactly("1");
			ledger.call(method, "1");
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	/**
	 * The method takes part in the outer transaction, while synchronizations are told of
	 * the inner one.
	 */
	@ParameterizedTest
	@CsvSource({ "joining, true, true", "joining, true, false", "joining, false, true", "joining, false, false",
			"annotated, true, true", "annotated, true, false", "annotated, false, true", "annotated, false, false" })
	void followsATransactionAroundAnother(String method, boolean innerCommits, boolean outerCommits) {
		run((ledger, ours, other) -> {
			template(ours).executeWithoutResult((outer) -> {
				template(other).executeWithoutResult((inner) -> {
					ledger.call(method, "1");
					if (!innerCommits) {
						inner.setRollbackOnly();
					}
				});
				ledger.call(method, "1");
				ledger.call(method, "2");
				if (!outerCommits) {
					outer.setRollbackOnly();
				}
			});
			assertThat(ledger.rows()).hasSize(outerCommits ? 2 : 0);
			ledger.call(method, "1");
			ledger.call(method, "2");
			assertThat(ledger.rows()).containsExactly("1", "2");
		});
	}

	/**
	 * Three deep: the transaction that the method takes part in ends, while another one
	 * goes on.
	 */
	@ParameterizedTest
	@CsvSource({ "joining, true, true", "joining, true, false", "joining, false, true", "joining, false, false",
			"annotated, true, true", "annotated, true, false", "annotated, false, true", "annotated, false, false" })
	void followsATransactionInsideOfAnother(String method, boolean innerCommits, boolean outerCommits) {
		run((ledger, ours, other) -> {
			template(other).executeWithoutResult((outer) -> {
				template(ours).executeWithoutResult((inner) -> {
					ledger.call(method, "1");
					if (!innerCommits) {
						inner.setRollbackOnly();
					}
				});
				assertThat(ledger.rows()).hasSize(innerCommits ? 1 : 0);
				if (!outerCommits) {
					outer.setRollbackOnly();
				}
			});
			ledger.call(method, "1");
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	/**
	 * A transaction of which no synchronization is told.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void followsATransactionWithoutSynchronizations(boolean commits) {
		run((ledger, ours, other) -> {
			doNotSynchronize(ours);
			template(ours).executeWithoutResult((status) -> {
				ledger.call("annotated", "1");
				if (!commits) {
					status.setRollbackOnly();
				}
			});
			assertThat(ledger.rows()).hasSize(commits ? 1 : 0);
			ledger.call("annotated", "1");
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "joining", "annotated" })
	void isNotHeldUpByATransactionThatIsSuspended(String method) {
		run((ledger, ours, other) -> {
			template(other).executeWithoutResult((outer) -> template(ours).executeWithoutResult((inner) -> {
				TransactionTemplate apart = template(ours);
				apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
				apart.executeWithoutResult((status) -> ledger.call(method, "1"));
				inner.setRollbackOnly();
			}));
			ledger.call(method, "1");
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	/**
	 * A savepoint of another manager's transaction undoes nothing of ours.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "joining", "annotated" })
	void isNotUndoneByASavepointOfAnotherManager(String method) {
		run((ledger, ours, other) -> {
			template(ours).executeWithoutResult((outer) -> template(other).executeWithoutResult((inner) -> {
				TransactionTemplate nested = template(other);
				nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
				nested.executeWithoutResult((status) -> {
					ledger.call(method, "1");
					status.setRollbackOnly();
				});
			}));
			assertThat(ledger.rows()).containsExactly("1");
			ledger.call(method, "1");
			assertThat(ledger.rows()).containsExactly("1");
		});
	}

	@Test
	void leavesNothingOnTheThread() {
		run((ledger, ours, other) -> {
			template(other).executeWithoutResult(
					(outer) -> template(ours).executeWithoutResult((inner) -> ledger.call("annotated", "1")));
			assertThat(TransactionWatch.latestOf(ours)).isNull();
			assertThat(TransactionWatch.latestOf(other)).isNull();
			assertThat(TransactionWatch.rollingBack()).isNull();
		});
	}

	private static void doNotSynchronize(PlatformTransactionManager manager) {
		((AbstractPlatformTransactionManager) manager)
			.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
	}

	private static TransactionTemplate template(PlatformTransactionManager manager) {
		return new TransactionTemplate(manager);
	}

	private void run(Story story) {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			story.tell(context.getBean(Ledger.class), context.getBean("ours", PlatformTransactionManager.class),
					context.getBean("other", PlatformTransactionManager.class));
		});
	}

	@FunctionalInterface
	interface Story {

		void tell(Ledger ledger, PlatformTransactionManager ours, PlatformTransactionManager other);

	}

	static class Ledger {

		private final JdbcTemplate jdbc;

		Ledger(DataSource dataSource) {
			this.jdbc = new JdbcTemplate(dataSource);
			this.jdbc.execute("create table ledger (id varchar(10) not null)");
		}

		List<String> rows() {
			return this.jdbc.queryForList("select id from ledger", String.class);
		}

		void call(String method, String id) {
			throw new UnsupportedOperationException(method + id);
		}

	}

	/**
	 * Behind a proxy.
	 */
	static class ProtectedLedger {

		private final JdbcTemplate jdbc;

		ProtectedLedger(DataSource dataSource) {
			this.jdbc = new JdbcTemplate(dataSource);
		}

		@Idempotent(key = "#id", transactional = true)
		public int joining(String id) {
			return this.jdbc.update("insert into ledger values (?)", id);
		}

		@Transactional("ours")
		@Idempotent(key = "#id")
		public int annotated(String id) {
			return this.jdbc.update("insert into ledger values (?)", id);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDatabases {

		/**
		 * One list for all managers, as Spring Boot has it.
		 */
		private final List<TransactionExecutionListener> listeners = new ArrayList<>();

		@Bean
		@Primary
		DataSource ourData() {
			return database("ours");
		}

		@Bean
		DataSource otherData() {
			return database("other");
		}

		private static DataSource database(String name) {
			return new DriverManagerDataSource(
					"jdbc:h2:mem:%s-%d;DB_CLOSE_DELAY=-1".formatted(name, System.nanoTime()));
		}

		@Bean
		@Primary
		PlatformTransactionManager ours(DataSource ourData) {
			return manager(ourData);
		}

		@Bean
		PlatformTransactionManager other() {
			return manager(otherData());
		}

		private PlatformTransactionManager manager(DataSource dataSource) {
			JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
			manager.setTransactionExecutionListeners(this.listeners);
			return manager;
		}

		@Bean
		ProtectedLedger protectedLedger(DataSource ourData) {
			return new ProtectedLedger(ourData);
		}

		@Bean
		Ledger ledger(DataSource ourData, ProtectedLedger protectedLedger) {
			return new Ledger(ourData) {

				@Override
				void call(String method, String id) {
					if (method.equals("joining")) {
						protectedLedger.joining(id);
					}
					else {
						protectedLedger.annotated(id);
					}
				}

			};
		}

	}

}
