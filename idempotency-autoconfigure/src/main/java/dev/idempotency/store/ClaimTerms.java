package dev.idempotency.store;

import java.time.Duration;
import java.util.Objects;

import dev.idempotency.OnCrash;

/**
 * The conditions of a claim.
 *
 * @param lease how long the claim holds unless it is renewed
 * @param ttl how long the record is remembered; it outlives the lease, so that the
 * attempt after a crash knows that it is not the first
 * @param onCrash whether a key whose lease is over may be taken over
 * @param onReplay what a refusal with a completed record of the same fingerprint does to
 * the record; where that is anything, it is done in the same atomic step
 */
public record ClaimTerms(Duration lease, Duration ttl, OnCrash onCrash, OnReplay onReplay) {

	/**
	 * The longest lease or ttl: ten years.
	 */
	public static final Duration MAX_DURATION = Duration.ofDays(3650);

	public ClaimTerms {
		requireUsable("lease", lease, "30s");
		requireUsable("ttl", ttl, "24h");
		Objects.requireNonNull(onCrash, "onCrash must not be null");
		Objects.requireNonNull(onReplay, "onReplay must not be null");
		if (lease.compareTo(ttl) > 0) {
			throw new IllegalArgumentException(
					"idempotency.lease (%s) must not be longer than idempotency.ttl (%s): a result would be forgotten before its retry"
						.formatted(lease, ttl));
		}
	}

	private static void requireUsable(String name, Duration duration, String example) {
		Objects.requireNonNull(duration, () -> "idempotency.%s must not be null".formatted(name));
		// Stores keep time in milliseconds
		if (duration.compareTo(Duration.ofMillis(1)) < 0) {
			throw new IllegalArgumentException(
					"idempotency.%s must be at least 1ms, but is %s: write a duration such as %s".formatted(name,
							duration, example));
		}
		if (duration.compareTo(MAX_DURATION) > 0) {
			throw new IllegalArgumentException(
					"idempotency.%s must be at most %d days, but is %s: write a duration such as %s".formatted(name,
							MAX_DURATION.toDays(), duration, example));
		}
	}

}
