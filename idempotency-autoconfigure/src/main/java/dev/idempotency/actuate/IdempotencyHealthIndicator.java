package dev.idempotency.actuate;

import java.time.Clock;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.core.IdempotencyEngine;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Says whether the store answers, and how fast.
 * <p>
 * A store that fails makes the health unknown, and not down: what an operation does
 * without its store is the application's decision, and an instance that is taken out of
 * service because of a store that all of them share helps nobody.
 */
public final class IdempotencyHealthIndicator implements HealthIndicator {

	private static final IdempotencyKey PROBE = IdempotencyKey.of("health", "probe");

	private final String store;

	private final IdempotencyEngine engine;

	private final Clock clock;

	/**
	 * Create the indicator.
	 * @param store what remembers, for people
	 * @param engine asks it
	 * @param clock tells how long it took
	 */
	public IdempotencyHealthIndicator(String store, IdempotencyEngine engine, Clock clock) {
		this.store = store;
		this.engine = engine;
		this.clock = clock;
	}

	@Override
	public Health health() {
		Health.Builder health = Health.unknown().withDetail("store", this.store);
		long begin = this.clock.millis();
		try {
			this.engine.find(PROBE);
			health.up().withDetail("latencyMillis", this.clock.millis() - begin);
		}
		catch (IdempotencyException ex) {
			Throwable cause = (ex.getCause() != null) ? ex.getCause() : ex;
			health.withDetail("error", cause.getClass().getName());
		}
		catch (UnsupportedOperationException ex) {
			health.withDetail("reason", "the store cannot be asked without claiming a key");
		}
		return health.build();
	}

}
