package dev.idempotency.transactions;

import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.autoconfigure.IdempotencySwitchAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyJdbcAutoConfiguration;
import dev.idempotency.method.MethodRunner;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Applications in which steps cannot be transactional say so before a step runs.
 */
@Tag("once")
class StepTransactionSettingsTests {

	private final ApplicationContextRunner application = MethodRunner.plain()
		.withConfiguration(
				AutoConfigurations.of(DataSourceAutoConfiguration.class, IdempotencyJdbcAutoConfiguration.class))
		.withPropertyValues("spring.datasource.url=jdbc:h2:mem:steps", "idempotency.store=jdbc");

	private static final DataSource OTHER = new DriverManagerDataSource("jdbc:h2:mem:other;DB_CLOSE_DELAY=-1");

	@Test
	void refusesAStoreThatCannotJoin() {
		refuses(this.application.withPropertyValues("idempotency.store=memory")
			.withBean(JdbcTransactionManager.class, () -> new JdbcTransactionManager(OTHER)),
				"cannot join a transaction", "idempotency.store=jdbc");
	}

	@Test
	void refusesTransactionsOfAnotherDatabase() {
		refuses(this.application.withBean(JdbcTransactionManager.class, () -> new JdbcTransactionManager(OTHER)),
				"does not manage the database of the idempotency store", "the same DataSource");
	}

	@Test
	void refusesToGoWithoutATransactionManager() {
		refuses(this.application, "there is no transaction manager", "Define a PlatformTransactionManager bean");
	}

	private static void refuses(ApplicationContextRunner application, String problem, String remedy) {
		application.run((context) -> {
			Idempotency idempotency = context.getBean(Idempotency.class);
			AtomicInteger runs = new AtomicInteger();
			assertThatExceptionOfType(IdempotencyConfigurationException.class)
				.isThrownBy(() -> idempotency.session("trip").transactional().run("seat", 1, runs::incrementAndGet))
				.withMessageContaining("A step")
				.withMessageContaining(problem)
				.satisfies((ex) -> assertThat(ex.remedy()).contains(remedy));
			assertThatExceptionOfType(IdempotencyConfigurationException.class)
				.isThrownBy(() -> idempotency.execute(IdempotencyKey.of("book", "1"),
						() -> IdempotencyContext.current().steps().transactional().run("seat", runs::incrementAndGet)))
				.withMessageContaining(problem);
			assertThat(runs).hasValue(0);
		});
	}

	@Test
	void runsEachTimeWithoutATransactionWhereProtectionIsSwitchedOff() {
		this.application.withConfiguration(AutoConfigurations.of(IdempotencySwitchAutoConfiguration.class))
			.withPropertyValues("idempotency.enabled=false")
			.run((context) -> {
				Idempotency idempotency = context.getBean(Idempotency.class);
				AtomicInteger runs = new AtomicInteger();
				for (int i = 0; i < 2; i++) {
					idempotency.session("trip").transactional().run("seat", 1, () -> {
						assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
						runs.incrementAndGet();
					});
					idempotency.execute(IdempotencyKey.of("book", "1"),
							() -> IdempotencyContext.current()
								.steps()
								.transactional()
								.run("seat", runs::incrementAndGet));
				}
				assertThat(runs).hasValue(4);
			});
	}

}
