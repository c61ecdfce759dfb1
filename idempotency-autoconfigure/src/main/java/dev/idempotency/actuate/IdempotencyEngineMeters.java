package dev.idempotency.actuate;

import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.store.MonotonicClock;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Shows what an engine does right now: {@code idempotency.in.progress} and
 * {@code idempotency.waiting}; and how many keys of the application are abandoned:
 * {@code idempotency.abandoned}, which is counted once a minute at most.
 */
public final class IdempotencyEngineMeters implements MeterBinder {

	private final IdempotencyEngine engine;

	private final AbandonedKeys abandoned;

	/**
	 * Create the meters of an engine.
	 */
	public IdempotencyEngineMeters(IdempotencyEngine engine) {
		this.engine = engine;
		this.abandoned = new AbandonedKeys(engine.records(), new MonotonicClock(), AbandonedKeys::onThreadOfItsOwn);
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		Gauge.builder("idempotency.abandoned", this.abandoned, AbandonedKeys::number)
			.description("Keys of the application whose executor vanished, on whatever instance")
			.register(registry);
		Gauge.builder("idempotency.in.progress", this.engine, IdempotencyEngine::executionsInProgress)
			.description("Keys that this instance holds now")
			.register(registry);
		Gauge.builder("idempotency.waiting", this.engine, IdempotencyEngine::attemptsWaiting)
			.description("Attempts that wait in this instance for the same operation to end")
			.register(registry);
	}

}
