package dev.idempotency.actuate;

import dev.idempotency.core.IdempotencyEngine;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Shows what an engine does right now: {@code idempotency.in.progress} and
 * {@code idempotency.waiting}.
 */
public final class IdempotencyEngineMeters implements MeterBinder {

	private final IdempotencyEngine engine;

	/**
	 * Create the meters of an engine.
	 * @param engine the engine
	 */
	public IdempotencyEngineMeters(IdempotencyEngine engine) {
		this.engine = engine;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		Gauge.builder("idempotency.in.progress", this.engine, IdempotencyEngine::executionsInProgress)
			.description("Keys that this instance holds now")
			.register(registry);
		Gauge.builder("idempotency.waiting", this.engine, IdempotencyEngine::attemptsWaiting)
			.description("Attempts that wait in this instance for the same operation to end")
			.register(registry);
	}

}
