package dev.idempotency.core;

import java.time.Duration;
import java.util.Objects;

import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.OnCrash;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.OnReplay;
import org.jspecify.annotations.Nullable;

/**
 * How an operation is protected.
 *
 * @param ttl how long its record is kept, from the claim on
 * @param lease how long a claim holds unless it is renewed
 * @param onCrash what happens to an abandoned key
 * @param patience how long an attempt waits for a key in progress; zero: not at all
 * @param maxReplays how often a result is replayed; zero: without a limit
 * @param extendsOnReplay whether each replay of a result restarts its ttl; such a result
 * is replayed without a limit
 * @param unknownOutcomes the failures after which it is unknown whether the work was done
 */
public record OperationPolicy(Duration ttl, Duration lease, OnCrash onCrash, Duration patience, int maxReplays,
		boolean extendsOnReplay, UnknownOutcomes unknownOutcomes) {

	public OperationPolicy {
		new ClaimTerms(lease, ttl, onCrash, OnReplay.READ);
		Objects.requireNonNull(patience, "patience must not be null");
		if (patience.isNegative() || patience.compareTo(ClaimTerms.MAX_DURATION) > 0) {
			throw new IdempotencyConfigurationException(
					"idempotency.wait-timeout must be between 0s and %d days, but is %s"
						.formatted(ClaimTerms.MAX_DURATION.toDays(), patience),
					"Write a duration such as 10s.");
		}
		if (maxReplays < 0) {
			throw new IdempotencyConfigurationException(
					"idempotency.max-replays must not be negative, but is %d".formatted(maxReplays),
					"Write 0 for no limit.");
		}
		if (extendsOnReplay && maxReplays > 0) {
			throw new IllegalArgumentException(
					"Replays that restart the ttl cannot be limited, but the limit is %d".formatted(maxReplays));
		}
	}

	public OperationPolicy(Duration ttl, Duration lease, OnCrash onCrash, Duration patience, int maxReplays) {
		this(ttl, lease, onCrash, patience, maxReplays, false, UnknownOutcomes.DEFAULT);
	}

	/**
	 * The policy of an operation that is never waited for, runs again after a crash and
	 * is replayed without a limit.
	 */
	public static OperationPolicy of(Duration ttl, Duration lease) {
		return new OperationPolicy(ttl, lease, OnCrash.RETRY, Duration.ZERO, 0);
	}

	/**
	 * This policy with another ttl.
	 */
	public OperationPolicy withTtl(Duration ttl) {
		return new OperationPolicy(ttl, this.lease, this.onCrash, this.patience, this.maxReplays, this.extendsOnReplay,
				this.unknownOutcomes);
	}

	/**
	 * This policy with other crash handling.
	 */
	public OperationPolicy withOnCrash(OnCrash onCrash) {
		return new OperationPolicy(this.ttl, this.lease, onCrash, this.patience, this.maxReplays, this.extendsOnReplay,
				this.unknownOutcomes);
	}

	/**
	 * This policy with more or less patience.
	 */
	public OperationPolicy withPatience(Duration patience) {
		return new OperationPolicy(this.ttl, this.lease, this.onCrash, patience, this.maxReplays, this.extendsOnReplay,
				this.unknownOutcomes);
	}

	/**
	 * This policy with another limit of replays.
	 * @throws IllegalArgumentException if there is a limit and replays restart the ttl
	 */
	public OperationPolicy withMaxReplays(int maxReplays) {
		return new OperationPolicy(this.ttl, this.lease, this.onCrash, this.patience, maxReplays, this.extendsOnReplay,
				this.unknownOutcomes);
	}

	/**
	 * This policy with replays that restart the ttl and are not limited: for results that
	 * must be kept as long as they are in use.
	 */
	public OperationPolicy withExtendingReplays() {
		return new OperationPolicy(this.ttl, this.lease, this.onCrash, this.patience, 0, true, this.unknownOutcomes);
	}

	/**
	 * This policy with other failures after which it is unknown whether the work was
	 * done.
	 */
	public OperationPolicy withUnknownOutcomes(UnknownOutcomes unknownOutcomes) {
		return new OperationPolicy(this.ttl, this.lease, this.onCrash, this.patience, this.maxReplays,
				this.extendsOnReplay, unknownOutcomes);
	}

	boolean isPatient() {
		return !this.patience.isZero();
	}

	ClaimTerms terms() {
		return terms(null);
	}

	ClaimTerms terms(@Nullable String trace) {
		return new ClaimTerms(this.lease, this.ttl, this.onCrash, onReplay(), trace);
	}

	private OnReplay onReplay() {
		if (this.extendsOnReplay) {
			return OnReplay.EXTEND;
		}
		return (this.maxReplays > 0) ? OnReplay.COUNT : OnReplay.READ;
	}

}
