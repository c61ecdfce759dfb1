package dev.idempotency.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.call.Calls;
import dev.idempotency.fixtures.ForwardingStore;
import dev.idempotency.fixtures.MemoryStores;
import dev.idempotency.reactive.ReactiveEngine;
import dev.idempotency.reactive.StoreThreads;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.MonotonicClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class IdempotencyReactorAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("idempotency.store=memory")
		.withConfiguration(
				AutoConfigurations.of(IdempotencyReactorAutoConfiguration.class, IdempotencyAutoConfiguration.class));

	@Test
	void asksAStoreInMemoryOnTheThreadOfItsCaller() {
		this.runner.run((context) -> {
			assertThat(context).hasSingleBean(ReactiveEngine.class);
			assertThat(context.getBean(StoreThreads.class).isBlocking()).isFalse();
			assertThat(context.getBean(Calls.class).threads()).isSameAs(context.getBean(StoreThreads.class));
		});
	}

	@Test
	void asksAnyOtherStoreOnThreadsOfItsOwn() {
		this.runner.withBean(IdempotencyStore.class, OtherStore::new)
			.withPropertyValues("spring.application.name=shop")
			.run((context) -> {
				assertThat(context.getBean(StoreThreads.class).isBlocking()).isTrue();
				assertThat(nameOfThread(context.getBean(ReactiveEngine.class))).startsWith("idempotency-store-");
			});
	}

	@Test
	void asksItOnVirtualThreadsWhereSpringBootUsesThem() {
		this.runner.withBean(IdempotencyStore.class, OtherStore::new)
			.withPropertyValues("spring.application.name=shop", "spring.threads.virtual.enabled=true")
			.run((context) -> assertThat(virtual(context.getBean(ReactiveEngine.class)))
				.isEqualTo(Runtime.version().feature() >= 21));
	}

	@Test
	void endsItsThreadsWithTheApplication() {
		List<StoreThreads> ended = new ArrayList<>();
		this.runner.run((context) -> ended.add(context.getBean(StoreThreads.class)));
		assertThatExceptionOfType(RejectedExecutionException.class)
			.isThrownBy(() -> ended.get(0).decisions().looks().execute(() -> {
			}));
	}

	@ParameterizedTest
	@CsvSource({ "threads, 0", "queue, -1" })
	void refusesWhatCannotWork(String setting, String value) {
		this.runner.withPropertyValues("idempotency.reactive.%s=%s".formatted(setting, value))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(IdempotencyConfigurationException.class)
				.hasMessageContaining("idempotency.reactive." + setting));
	}

	@Test
	void leavesTheApplicationItsOwn() {
		StoreThreads own = new StoreThreads(1, 1, StoreThreads.platformThreads(), true);
		this.runner.withBean(StoreThreads.class, () -> own)
			.run((context) -> assertThat(context.getBean(StoreThreads.class)).isSameAs(own));
	}

	@Test
	void backsOffWithoutReactor() {
		this.runner.withClassLoader(new FilteredClassLoader(Mono.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(StoreThreads.class));
	}

	@Test
	void backsOffWhenDisabled() {
		this.runner.withPropertyValues("idempotency.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(StoreThreads.class));
	}

	private static String nameOfThread(ReactiveEngine engine) {
		return String.valueOf(engine.end(() -> Thread.currentThread().getName()).block());
	}

	private static boolean virtual(ReactiveEngine engine) {
		return String.valueOf(engine.end(() -> Thread.currentThread().toString()).block()).startsWith("VirtualThread");
	}

	private static final class OtherStore extends ForwardingStore {

		private OtherStore() {
			super(MemoryStores.with(new MonotonicClock()));
		}

	}

}
