package dev.idempotency.core;

import java.time.Duration;
import java.util.List;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * The settings of one operation, from its annotation or from the configuration of its
 * name. What is {@code null} is as for all operations.
 *
 * @param ttl how long its record is kept, from the claim on
 * @param lease how long a claim holds unless it is renewed
 * @param waitTimeout how long an attempt waits for a key in progress; zero: not at all
 * @param maxReplays how often its result is replayed; zero: without a limit
 * @param maxRequestBody the largest request body, in bytes
 * @param maxResponseBody the largest response body that is stored, in bytes
 * @param fingerprintExcludes pointers to the parts of a JSON body that do not count
 * @param storeEvents whether event streams are stored
 */
public record OperationSettings(@Nullable Duration ttl, @Nullable Duration lease, @Nullable Duration waitTimeout,
		@Nullable Integer maxReplays, @Nullable Long maxRequestBody, @Nullable Long maxResponseBody,
		@Nullable List<String> fingerprintExcludes, @Nullable Boolean storeEvents) {

	/**
	 * No settings.
	 */
	public static final OperationSettings NONE = new OperationSettings(null, null, null, null, null, null, null, null);

	private static final Duration SHORTEST = Duration.ofMillis(1);

	public OperationSettings {
		requireBetween("ttl", ttl, SHORTEST, "1ms", "24h");
		requireBetween("lease", lease, SHORTEST, "1ms", "30s");
		requireBetween("wait-timeout", waitTimeout, Duration.ZERO, "0s", "10s");
		if (maxReplays != null && maxReplays < 0) {
			throw new IdempotencyConfigurationException(
					"max-replays must not be negative, but is %d".formatted(maxReplays), "Write 0 for no limit.");
		}
		requireSize("max-request-body", maxRequestBody);
		requireSize("max-response-body", maxResponseBody);
		fingerprintExcludes = (fingerprintExcludes != null) ? List.copyOf(fingerprintExcludes) : null;
	}

	/**
	 * A policy with these settings.
	 * @param policy how the operation is protected otherwise
	 * @param operation its readable name
	 * @throws IdempotencyConfigurationException if the two contradict each other
	 */
	public OperationPolicy over(OperationPolicy policy, String operation) {
		if (equals(NONE)) {
			return policy;
		}
		Duration newTtl = (this.ttl != null) ? this.ttl : policy.ttl();
		Duration newLease = (this.lease != null) ? this.lease : policy.lease();
		if (newLease.compareTo(newTtl) > 0) {
			throw new IdempotencyConfigurationException(
					"The lease of %s (%s) is longer than its ttl (%s): its result would be forgotten before its retry"
						.formatted(operation, newLease, newTtl),
					"Write a shorter lease, such as 30s, or a longer ttl.");
		}
		return new OperationPolicy(newTtl, newLease, policy.onCrash(),
				(this.waitTimeout != null) ? this.waitTimeout : policy.patience(),
				(this.maxReplays != null) ? this.maxReplays : policy.maxReplays(), policy.extendsOnReplay(),
				policy.unknownOutcomes());
	}

	/**
	 * Limits with these settings.
	 */
	public BodyLimits over(BodyLimits limits) {
		return new BodyLimits((this.maxRequestBody != null) ? Math.toIntExact(this.maxRequestBody) : limits.request(),
				(this.maxResponseBody != null) ? Math.toIntExact(this.maxResponseBody) : limits.response(),
				(this.storeEvents != null) ? this.storeEvents : limits.events());
	}

	/**
	 * The setting that only requests have.
	 * @return its name, or {@code null} if there is none
	 */
	public @Nullable String forRequests() {
		return (this.maxRequestBody != null) ? "max-request-body"
				: (this.maxResponseBody != null) ? "max-response-body" : (this.fingerprintExcludes != null)
						? "fingerprint-excludes" : (this.storeEvents != null) ? "store-events" : null;
	}

	private static void requireBetween(String setting, @Nullable Duration duration, Duration least, String leastText,
			String example) {
		if (duration != null && (duration.compareTo(least) < 0 || duration.compareTo(ClaimTerms.MAX_DURATION) > 0)) {
			throw new IdempotencyConfigurationException(
					"%s must be between %s and %d days, but is %s".formatted(setting, leastText,
							ClaimTerms.MAX_DURATION.toDays(), duration),
					"Write a duration such as %s.".formatted(example));
		}
	}

	private static void requireSize(String setting, @Nullable Long bytes) {
		if (bytes != null && (bytes < 1 || bytes > StoredResult.MAX_SIZE)) {
			throw new IdempotencyConfigurationException(
					"%s must be between 1B and %dMB, but is %dB".formatted(setting, StoredResult.MAX_SIZE >> 20, bytes),
					"Write a size such as 1MB.");
		}
	}

}
