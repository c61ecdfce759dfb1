package dev.idempotency.autoconfigure;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;

import javax.sql.DataSource;

import dev.idempotency.core.IdempotencyEngine;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

class DestructionOrderTests {

	private static final List<String> ENDS = new CopyOnWriteArrayList<>();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, IdempotencyAutoConfiguration.class,
				IdempotencyJdbcAutoConfiguration.class))
		.withPropertyValues("spring.application.name=shop", "idempotency.jdbc.initialize-schema=always");

	DestructionOrderTests() {
		ENDS.clear();
	}

	@Test
	void anExecutorThatWasThereFirstGoesBeforeTheEngineAndItsDataSource() {
		this.runner.withUserConfiguration(Workers.class)
			.run((context) -> assertThat(context.getBeanFactory().getDependentBeans("idempotencyEngine"))
				.contains("first", "never"));
		assertThat(ENDS).containsExactly("first", "data source");
	}

	@Test
	void createsNothingForThat() {
		this.runner.withUserConfiguration(Workers.class)
			.run((context) -> assertThat(context.getBeanFactory().containsSingleton("never")).isFalse());
	}

	@Test
	void whatTheDataSourceNeedsOutlivesIt() {
		this.runner.withUserConfiguration(WorkerOfTheDataSource.class)
			.run((context) -> assertThat(context).hasSingleBean(IdempotencyEngine.class));
		assertThat(ENDS).containsExactly("data source", "of the data source");
	}

	record Worker(String name) implements Executor, AutoCloseable {

		@Override
		public void execute(Runnable task) {
			task.run();
		}

		@Override
		public void close() {
			ENDS.add(this.name);
		}

	}

	static final class ClosedDataSource extends DriverManagerDataSource implements AutoCloseable {

		ClosedDataSource() {
			super("jdbc:h2:mem:order;DB_CLOSE_DELAY=-1");
		}

		@Override
		public void close() {
			ENDS.add("data source");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Workers {

		@Bean
		Worker first() {
			return new Worker("first");
		}

		@Bean
		@Lazy
		Worker never() {
			return new Worker("never");
		}

		@Bean
		DataSource dataSource() {
			return new ClosedDataSource();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WorkerOfTheDataSource {

		@Bean
		Worker worker() {
			return new Worker("of the data source");
		}

		@Bean
		DataSource dataSource(Worker worker) {
			return new ClosedDataSource();
		}

	}

}
