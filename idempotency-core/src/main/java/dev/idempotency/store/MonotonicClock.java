package dev.idempotency.store;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;

/**
 * A clock that starts at the time of day and never jumps: a change of the system clock
 * must not expire leases.
 */
public final class MonotonicClock extends Clock {

	private final long startMillis;

	private final long startNanos;

	private final ZoneId zone;

	public MonotonicClock() {
		this(System.currentTimeMillis(), System.nanoTime(), ZoneOffset.UTC);
	}

	private MonotonicClock(long startMillis, long startNanos, ZoneId zone) {
		this.startMillis = startMillis;
		this.startNanos = startNanos;
		this.zone = zone;
	}

	@Override
	public long millis() {
		return this.startMillis + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - this.startNanos);
	}

	@Override
	public Instant instant() {
		return Instant.ofEpochMilli(millis());
	}

	@Override
	public ZoneId getZone() {
		return this.zone;
	}

	@Override
	public Clock withZone(ZoneId zone) {
		return new MonotonicClock(this.startMillis, this.startNanos, zone);
	}

}
