package dev.idempotency.client;

import java.time.Instant;
import java.util.function.Consumer;

import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencySwitchAutoConfiguration;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.MemoryLimits;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.test.MovableClock;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Operations on one store, each attempt in an application of its own.
 */
final class Instance {

	private final IdempotencyStore store = new InMemoryIdempotencyStore(new MemoryLimits(1000, 1 << 20),
			new MovableClock(Instant.parse("2026-01-01T00:00:00Z")), (key) -> {
			});

	private final String[] properties;

	/**
	 * Create the applications.
	 * @param properties settings of each
	 */
	Instance(String... properties) {
		this.properties = properties.clone();
	}

	/**
	 * An attempt that succeeds.
	 */
	void run(String key, Runnable work) {
		withContext(key, (context) -> work.run());
	}

	void withContext(String key, Consumer<IdempotencyContext> work) {
		inNewProcess((idempotency) -> idempotency.execute(IdempotencyKey.of("order", key), String.class, () -> {
			work.accept(IdempotencyContext.current());
			return "done";
		}));
	}

	/**
	 * An attempt that fails after its work.
	 */
	void fail(String key, Runnable work) {
		assertThatIllegalStateException().isThrownBy(() -> run(key, () -> {
			work.run();
			throw new IllegalStateException("failed");
		})).withMessage("failed");
	}

	void inNewProcess(Consumer<Idempotency> work) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, IdempotencyAutoConfiguration.class,
					IdempotencySwitchAutoConfiguration.class))
			.withBean(IdempotencyStore.class, () -> this.store)
			.withPropertyValues("spring.application.name=shop")
			.withPropertyValues(this.properties)
			.run((context) -> work.accept(context.getBean(Idempotency.class)));
	}

}
