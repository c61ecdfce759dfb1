package dev.idempotency.actuate;

import java.time.Clock;
import java.util.Map;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.core.IdempotencyEngine;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Shows whether the store responds, and how fast, and whether leases are renewed in time.
 * <p>
 * A store that fails makes the health unknown, not down. The application decides what an
 * operation does without its store, and all instances share the store: taking them out of
 * service would not help.
 */
public final class IdempotencyHealthIndicator implements HealthIndicator {

	private static final IdempotencyKey PROBE = IdempotencyKey.of("health", "probe");

	private final String store;

	private final IdempotencyEngine engine;

	private final Clock clock;

	/**
	 * Create the indicator.
	 * @param store the name of the store
	 * @param engine sends a query to it
	 * @param clock measures how long it takes
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
		Map<String, Integer> late = this.engine.lateLeases();
		if (!late.isEmpty()) {
			health.unknown().withDetail("lateLeases", late);
		}
		return health.build();
	}

}
