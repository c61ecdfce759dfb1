package dev.idempotency.guides;

import java.time.Duration;
import java.time.Instant;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyMethodAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyTransactionAutoConfiguration;
import dev.idempotency.fixtures.MemoryStores;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.test.MovableClock;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * The application of the guides without its web, on a store whose clock can be moved.
 */
final class Shop {

	private static final String NAMESPACE = "shop";

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final MovableClock clock = new MovableClock(Instant.parse("2026-01-01T00:00:00Z"));

	private final InMemoryIdempotencyStore store = MemoryStores.with(this.clock);

	ApplicationContextRunner runner() {
		return withoutStore().withBean(IdempotencyStore.class, () -> this.store);
	}

	static ApplicationContextRunner withoutStore() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, JacksonAutoConfiguration.class,
					IdempotencyAutoConfiguration.class, IdempotencyTransactionAutoConfiguration.class,
					IdempotencyMethodAutoConfiguration.class))
			.withPropertyValues("spring.application.name=" + NAMESPACE);
	}

	/**
	 * Lets an attempt vanish that had claimed a key.
	 */
	void crash(String operation, String value) {
		this.store.claim(IdempotencyKey.of(operation, value).within(NAMESPACE), Fingerprint.none(),
				new ClaimTerms(LEASE, Duration.ofHours(24), OnCrash.RETRY, OnReplay.READ));
		this.clock.advance(LEASE);
	}

}
