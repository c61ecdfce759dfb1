package dev.idempotency.core;

import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;

import dev.idempotency.IdempotencyConfigurationException;

/**
 * How expired records are removed.
 *
 * @param interval how long to wait between two rounds; zero: never remove
 * @param batch how many records are removed at once
 */
public record PurgeSettings(Duration interval, int batch) {

	private static final Duration LONGEST_INTERVAL = Duration.ofDays(1);

	private static final int LARGEST_BATCH = 100_000;

	private static final int JITTER_PERCENT = 10;

	public PurgeSettings {
		Objects.requireNonNull(interval, "interval must not be null");
		if (interval.isNegative() || interval.compareTo(LONGEST_INTERVAL) > 0) {
			throw new IdempotencyConfigurationException(
					("idempotency.purge.interval must be between 0s (never) and 1 day, so that expired records do not "
							+ "pile up, but is %s")
						.formatted(interval),
					"Write a duration such as 10m.");
		}
		if (batch < 1 || batch > LARGEST_BATCH) {
			throw new IdempotencyConfigurationException(
					("idempotency.purge.batch must be between 1 and %d, so that one removal does not block others, "
							+ "but is %d")
						.formatted(LARGEST_BATCH, batch),
					"Write a number such as 1000.");
		}
	}

	boolean isOff() {
		return this.interval.isZero();
	}

	/**
	 * Keeps instances that were started together from purging together.
	 * @return a random part of the interval, in milliseconds
	 */
	long firstPause(RandomGenerator random) {
		return random.nextLong(millis()) + 1;
	}

	/**
	 * Keeps instances from purging together later.
	 * @return about the interval, in milliseconds
	 */
	long nextPause(RandomGenerator random) {
		long jitter = millis() * JITTER_PERCENT / 100;
		return millis() - jitter + random.nextLong(2 * jitter + 1);
	}

	private long millis() {
		return Math.max(1, this.interval.toMillis());
	}

}
