package dev.idempotency.test;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that moves only when it is advanced.
 */
public final class MovableClock extends Clock {

	private final AtomicLong millis;

	private final ZoneId zone;

	/**
	 * Create a clock.
	 * @param start the time it shows
	 */
	public MovableClock(Instant start) {
		this(new AtomicLong(start.toEpochMilli()), ZoneOffset.UTC);
	}

	private MovableClock(AtomicLong millis, ZoneId zone) {
		this.millis = millis;
		this.zone = zone;
	}

	/**
	 * Advances the clock.
	 * @param duration by how much
	 */
	public void advance(Duration duration) {
		if (duration.isNegative()) {
			throw new IllegalArgumentException("A clock cannot be moved back, not even by " + duration);
		}
		this.millis.addAndGet(duration.toMillis());
	}

	@Override
	public long millis() {
		return this.millis.get();
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
		return new MovableClock(this.millis, zone);
	}

}
