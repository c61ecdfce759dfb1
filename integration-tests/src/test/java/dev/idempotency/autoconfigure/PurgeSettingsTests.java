package dev.idempotency.autoconfigure;

import java.util.concurrent.atomic.AtomicInteger;

import dev.idempotency.fixtures.ForwardingStore;
import dev.idempotency.fixtures.MemoryStores;
import dev.idempotency.fixtures.NewThreads;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.store.PurgeableStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class PurgeSettingsTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("idempotency.store=memory")
		.withConfiguration(AutoConfigurations.of(IdempotencyAutoConfiguration.class));

	@Test
	void purgesAStoreThatNeedsItUntilTheApplicationEnds() {
		AtomicInteger limit = new AtomicInteger();
		NewThreads purgers = new NewThreads("idempotency-record-purger");
		this.runner.withUserConfiguration(OverdueStore.class)
			.withPropertyValues("idempotency.purge.interval=1ms", "idempotency.purge.batch=7")
			.run((context) -> {
				assertThat(context.getBean(PurgeLifecycle.class).isRunning()).isTrue();
				limit.set(await().until(context.getBean(Overdue.class).limit::get, (it) -> it > 0));
				assertThat(purgers.alive()).hasSize(1);
			});
		assertThat(limit).hasValue(7);
		await().until(() -> purgers.alive().isEmpty());
	}

	@Test
	void purgesAlsoWhereBeansAreLazy() {
		this.runner.withUserConfiguration(OverdueStore.class)
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> assertThat(context.getBeanFactory().containsSingleton("idempotencyPurgeLifecycle"))
				.isTrue());
	}

	@Test
	void beginsAgainAfterTheApplicationWasStopped() {
		this.runner.withUserConfiguration(OverdueStore.class).run((context) -> {
			context.getSourceApplicationContext().stop();
			assertThat(context.getBean(PurgeLifecycle.class).isRunning()).isFalse();
			context.getSourceApplicationContext().start();
			assertThat(context.getBean(PurgeLifecycle.class).isRunning()).isTrue();
		});
	}

	@Test
	void staysAwayFromAStoreThatForgetsByItself() {
		this.runner.run((context) -> {
			assertThat(context.getBean(IdempotencyStore.class)).isNotInstanceOf(PurgeableStore.class);
			assertThat(context.getBean(PurgeLifecycle.class).isRunning()).isFalse();
		});
	}

	@Test
	void staysAwayWhereTheIntervalIsZero() {
		this.runner.withUserConfiguration(OverdueStore.class)
			.withPropertyValues("idempotency.purge.interval=0")
			.run((context) -> assertThat(context.getBean(PurgeLifecycle.class).isRunning()).isFalse());
	}

	@Test
	void backsOffWhenDisabled() {
		this.runner.withUserConfiguration(OverdueStore.class)
			.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(PurgeLifecycle.class));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = {
					"idempotency.purge.interval=-1s | idempotency.purge.interval must be between 0s (never) and 1 day",
					"idempotency.purge.interval=25h | but is PT25H. Write a duration such as 10m",
					"idempotency.purge.batch=0 | idempotency.purge.batch must be between 1 and 100000",
					"idempotency.purge.batch=100001 | but is 100001. Write a number such as 1000" })
	void refusesToStartWithAWrongSettingAndSaysWhatToWrite(String property, String message) {
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining(message));
	}

	@Configuration(proxyBeanMethods = false)
	static class OverdueStore {

		@Bean
		IdempotencyStore overdueStore() {
			return new Overdue();
		}

	}

	/**
	 * A store that keeps what is over.
	 */
	private static final class Overdue extends ForwardingStore implements PurgeableStore {

		private final AtomicInteger limit = new AtomicInteger();

		private Overdue() {
			super(MemoryStores.with(new MonotonicClock()));
		}

		@Override
		public int purge(int limit) {
			this.limit.set(limit);
			return 0;
		}

	}

}
