package dev.idempotency.actuate;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import dev.idempotency.core.StoreTimer;
import dev.idempotency.core.StoreVerb;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * Times the calls to the store, as {@code idempotency.store}.
 */
public final class IdempotencyStoreMeters implements StoreTimer {

	private final MeterRegistry registry;

	private final Map<StoreVerb, Timers> timers = new EnumMap<>(StoreVerb.class);

	/**
	 * Create the timers.
	 * @param registry the registry of the timers
	 */
	public IdempotencyStoreMeters(MeterRegistry registry) {
		this.registry = registry;
		for (StoreVerb verb : StoreVerb.values()) {
			this.timers.put(verb, new Timers(timer(verb, "success"), timer(verb, "error")));
		}
	}

	private Timer timer(StoreVerb verb, String outcome) {
		return Timer.builder("idempotency.store")
			.description("Time of a call to the store")
			.tag("verb", verb.toString())
			.tag("outcome", outcome)
			.register(this.registry);
	}

	@Override
	public long nanoTime() {
		return this.registry.config().clock().monotonicTime();
	}

	@Override
	public void asked(StoreVerb verb, long nanos, boolean failed) {
		Timers of = this.timers.get(verb);
		if (of != null) {
			(failed ? of.error : of.success).record(nanos, TimeUnit.NANOSECONDS);
		}
	}

	private record Timers(Timer success, Timer error) {
	}

}
