package dev.idempotency.store;

import java.time.Duration;
import java.util.Objects;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.OnCrash;
import org.jspecify.annotations.Nullable;

/**
 * The conditions of a claim.
 *
 * @param lease how long the claim holds unless it is renewed
 * @param ttl how long the record is kept, from the claim on; at least as long as the
 * lease, so that the attempt after a crash knows that it is not the first
 * @param onCrash whether a key whose lease has expired may be taken over
 * @param onReplay how a refusal with a completed record of the same fingerprint changes
 * the record, in the same atomic step
 * @param trace the trace of the attempt, which is stored in the record; {@code null} if
 * there is none
 */
public record ClaimTerms(Duration lease, Duration ttl, OnCrash onCrash, OnReplay onReplay, @Nullable String trace) {

	/**
	 * The longest lease or ttl: ten years.
	 */
	public static final Duration MAX_DURATION = Duration.ofDays(3650);

	/**
	 * The most characters of a trace.
	 */
	public static final int MAX_TRACE = 64;

	/**
	 * Stores keep time in milliseconds.
	 */
	private static final Duration MIN_DURATION = Duration.ofMillis(1);

	public ClaimTerms {
		requireUsable("idempotency.lease", lease, "30s");
		requireUsable("idempotency.ttl", ttl, "24h");
		Objects.requireNonNull(onCrash, "onCrash must not be null");
		Objects.requireNonNull(onReplay, "onReplay must not be null");
		if (lease.compareTo(ttl) > 0) {
			throw new IdempotencyConfigurationException(
					("idempotency.lease (%s) must not be longer than idempotency.ttl (%s), or a result would be "
							+ "forgotten before its retry")
						.formatted(lease, ttl),
					"Write a shorter lease, such as 30s, or a longer ttl.");
		}
		if (trace != null && trace.isEmpty()) {
			// A tracer that records nothing has an empty trace id
			trace = null;
		}
		if (trace != null && trace.length() > MAX_TRACE) {
			throw new IllegalArgumentException("A trace has at most %d characters".formatted(MAX_TRACE));
		}
	}

	/**
	 * Terms without a trace.
	 */
	public ClaimTerms(Duration lease, Duration ttl, OnCrash onCrash, OnReplay onReplay) {
		this(lease, ttl, onCrash, onReplay, null);
	}

	private static void requireUsable(String setting, Duration duration, String example) {
		if (duration == null) {
			throw new NullPointerException("%s must not be null".formatted(setting));
		}
		if (duration.compareTo(MIN_DURATION) < 0) {
			throw new IdempotencyConfigurationException(
					"%s must be at least 1ms, but is %s".formatted(setting, duration),
					"Write a duration such as %s.".formatted(example));
		}
		if (duration.compareTo(MAX_DURATION) > 0) {
			throw new IdempotencyConfigurationException(
					"%s must be at most %d days, but is %s".formatted(setting, MAX_DURATION.toDays(), duration),
					"Write a duration such as %s.".formatted(example));
		}
	}

}
