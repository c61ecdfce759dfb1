package dev.idempotency.method;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.autoconfigure.IdempotencyAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyMethodAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyReactorAutoConfiguration;
import dev.idempotency.autoconfigure.IdempotencyTransactionAutoConfiguration;
import dev.idempotency.store.Claim;
import dev.idempotency.store.ClaimResult;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.StoredResult;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.MemoryLimits;
import dev.idempotency.test.MovableClock;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications with protected methods, on a store in memory whose clock can be moved.
 */
public final class MethodRunner {

	static final Duration LEASE = Duration.ofSeconds(30);

	static final String NAMESPACE = "shop";

	final MovableClock clock = new MovableClock(Instant.parse("2026-01-01T00:00:00Z"));

	final InMemoryIdempotencyStore store = new InMemoryIdempotencyStore(new MemoryLimits(10_000, 1 << 26), this.clock,
			(key) -> {
			});

	/**
	 * An application as Spring Boot would set it up.
	 */
	public static ApplicationContextRunner plain() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, JacksonAutoConfiguration.class,
					IdempotencyAutoConfiguration.class, IdempotencyTransactionAutoConfiguration.class,
					IdempotencyMethodAutoConfiguration.class, IdempotencyReactorAutoConfiguration.class))
			.withPropertyValues("spring.application.name=" + NAMESPACE);
	}

	/**
	 * The same on this store.
	 */
	ApplicationContextRunner onThisStore() {
		return plain().withBean(InMemoryIdempotencyStore.class, () -> this.store);
	}

	/**
	 * Lets an attempt vanish that had claimed a key.
	 */
	void crash(String operation, String value) {
		claim(IdempotencyKey.of(operation, value).within(NAMESPACE), Fingerprint.none());
		this.clock.advance(LEASE);
	}

	/**
	 * Stores a result as another release might have.
	 */
	void complete(IdempotencyKey key, Fingerprint fingerprint, String payload) {
		Claim claim = claim(key, fingerprint);
		this.store.complete(claim, StoredResult.of(payload.getBytes(StandardCharsets.UTF_8)), Duration.ofHours(24));
	}

	private Claim claim(IdempotencyKey key, Fingerprint fingerprint) {
		ClaimTerms terms = new ClaimTerms(LEASE, Duration.ofHours(24), OnCrash.RETRY, OnReplay.READ);
		ClaimResult claimed = this.store.claim(key, fingerprint, terms);
		assertThat(claimed).isInstanceOf(ClaimResult.Granted.class);
		return ((ClaimResult.Granted) claimed).claim();
	}

}
