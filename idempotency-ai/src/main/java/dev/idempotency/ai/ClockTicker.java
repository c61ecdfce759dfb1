package dev.idempotency.ai;

import java.time.Clock;
import java.util.concurrent.TimeUnit;

import com.github.benmanes.caffeine.cache.Ticker;

/**
 * The time that was passed in, as Caffeine wants it.
 *
 * @param clock tells the time
 */
record ClockTicker(Clock clock) implements Ticker {

	@Override
	public long read() {
		return TimeUnit.MILLISECONDS.toNanos(this.clock.millis());
	}

}
