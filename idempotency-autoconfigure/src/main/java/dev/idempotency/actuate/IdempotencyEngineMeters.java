package dev.idempotency.actuate;

import java.util.List;
import java.util.Locale;

import dev.idempotency.RecordState;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.store.MonotonicClock;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * The gauges of an engine: {@code idempotency.in.progress},
 * {@code idempotency.leases.late}, {@code idempotency.waiting} and
 * {@code idempotency.abandoned}. Abandoned keys are counted once a minute at most.
 */
public final class IdempotencyEngineMeters implements MeterBinder {

	private final IdempotencyEngine engine;

	private final AbandonedKeys abandoned;

	public IdempotencyEngineMeters(IdempotencyEngine engine) {
		this.engine = engine;
		this.abandoned = new AbandonedKeys(engine.records(), new MonotonicClock(), AbandonedKeys::onThreadOfItsOwn);
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		for (RecordState state : List.of(RecordState.ABANDONED, RecordState.REPORTED_UNKNOWN)) {
			Gauge.builder("idempotency.abandoned", this.abandoned, (keys) -> keys.number(state))
				.description("Abandoned keys of the application, of all instances")
				.tag("state", state.name().toLowerCase(Locale.ROOT))
				.register(registry);
		}
		Gauge.builder("idempotency.in.progress", this.engine, IdempotencyEngine::executionsInProgress)
			.description("Keys that this instance holds")
			.register(registry);
		Gauge.builder("idempotency.leases.late", this.engine, IdempotencyEngineMeters::lateLeases)
			.description("Leases of this instance that could not be renewed for three quarters of their length")
			.register(registry);
		Gauge.builder("idempotency.waiting", this.engine, IdempotencyEngine::attemptsWaiting)
			.description("Attempts on this instance that wait for an operation in progress")
			.register(registry);
	}

	private static int lateLeases(IdempotencyEngine engine) {
		return engine.lateLeases().values().stream().mapToInt(Integer::intValue).sum();
	}

}
