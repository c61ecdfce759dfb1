package dev.idempotency.messaging;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import javax.sql.DataSource;

import dev.idempotency.Idempotent;
import dev.idempotency.autoconfigure.IdempotencyJdbcAutoConfiguration;
import org.assertj.core.api.SoftAssertions;
import org.awaitility.Awaitility;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.Transactional;

/**
 * Listeners whose work is in a database, inside of the transactions of a broker. A
 * message is the name of its row, and says when its first delivery fails.
 */
final class TransactionalListeners {

	private TransactionalListeners() {
	}

	/**
	 * Adds the database to an application that listens.
	 */
	static ApplicationContextRunner withDatabase(ApplicationContextRunner runner) {
		return runner
			.withConfiguration(
					AutoConfigurations.of(DataSourceAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
							TransactionAutoConfiguration.class, IdempotencyJdbcAutoConfiguration.class))
			.withUserConfiguration(Database.class)
			.withPropertyValues(
					"spring.datasource.url=jdbc:h2:mem:listeners-%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()),
					"idempotency.store=jdbc", "idempotency.jdbc.initialize-schema=always");
	}

	/**
	 * Sends a message to each kind of listener for each failure, and looks at what came
	 * of them.
	 */
	static void requireOneRowForEachMessage(Ledger ledger, List<Failure> failures, Sender sender) {
		SoftAssertions softly = new SoftAssertions();
		for (Kind kind : Kind.values()) {
			for (Failure failure : failures) {
				if (failure != Failure.IN_LISTENER || kind.inService) {
					String message = failure + "-" + UUID.randomUUID();
					String next = "NONE-" + UUID.randomUUID();
					sender.send(kind, message);
					sender.send(kind, next);
					// It comes after the other one has come to its end
					Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> ledger.rows(next) == 1);
					softly.assertThat(ledger.failed).as("%s, %s: failed first", kind, failure).contains(message);
					softly.assertThat(ledger.rows(message)).as("%s, %s: rows", kind, failure).isEqualTo(1);
					softly.assertThat(ledger.runs.get(message))
						.as("%s, %s: runs", kind, failure)
						.isEqualTo((failure == Failure.IN_WORK) ? 2 : 1);
				}
			}
		}
		softly.assertAll();
	}

	/**
	 * What is protected, and how.
	 */
	enum Kind {

		JOINING_SERVICE(true), ANNOTATED_SERVICE(true), JOINING_LISTENER(false), ANNOTATED_LISTENER(false);

		private final boolean inService;

		Kind(boolean inService) {
			this.inService = inService;
		}

		/**
		 * The name of the property that says where its messages are.
		 */
		String property() {
			return name().toLowerCase(Locale.ROOT).replace('_', '-');
		}

		static String[] properties(Map<Kind, String> places) {
			return Arrays.stream(values())
				.flatMap((kind) -> Stream.of(kind.property() + "=" + places.get(kind)))
				.toArray(String[]::new);
		}

	}

	/**
	 * What fails when a message is delivered for the first time.
	 */
	enum Failure {

		/**
		 * The protected work: it is rolled back.
		 */
		IN_WORK,

		/**
		 * The listener, after the protected work has been committed.
		 */
		IN_LISTENER,

		/**
		 * The commit of the broker's transaction, after that of the database.
		 */
		AT_COMMIT

	}

	@FunctionalInterface
	interface Sender {

		void send(Kind kind, String message);

	}

	/**
	 * The database, and its manager, which Spring Boot does not make where there is
	 * another one.
	 */
	@Configuration(proxyBeanMethods = false)
	@Import({ Ledger.class, Services.class })
	static class Database {

		@Bean
		@Primary
		JdbcTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

	/**
	 * Does the work, and fails as messages say.
	 */
	static class Ledger {

		private final JdbcTemplate jdbc;

		private final Map<String, Integer> runs = new ConcurrentHashMap<>();

		private final Set<String> failed = ConcurrentHashMap.newKeySet();

		private volatile String current = "";

		Ledger(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
			jdbc.execute("create table ledger (message varchar(100))");
		}

		int rows(String message) {
			Integer count = this.jdbc.queryForObject("select count(*) from ledger where message = ?", Integer.class,
					message);
			return (count != null) ? count : -1;
		}

		void write(String message) {
			this.current = message;
			this.runs.merge(message, 1, Integer::sum);
			this.jdbc.update("insert into ledger (message) values (?)", message);
			failOnce(message, Failure.IN_WORK);
		}

		void failOnce(String message, Failure when) {
			if (message.startsWith(when.name()) && this.failed.add(message)) {
				throw new IllegalStateException("The first delivery fails " + when);
			}
		}

		/**
		 * Lets the commits of a broker's transactions fail.
		 */
		TransactionExecutionListener commits() {
			return new TransactionExecutionListener() {

				@Override
				public void beforeCommit(TransactionExecution transaction) {
					failOnce(Ledger.this.current, Failure.AT_COMMIT);
				}

			};
		}

	}

	/**
	 * Protected work.
	 */
	static class Services {

		private final Ledger ledger;

		Services(Ledger ledger) {
			this.ledger = ledger;
		}

		@Idempotent(key = "#message", transactional = true)
		public void joining(String message) {
			this.ledger.write(message);
		}

		@Idempotent(key = "#message")
		@Transactional
		public void annotated(String message) {
			this.ledger.write(message);
		}

	}

}
