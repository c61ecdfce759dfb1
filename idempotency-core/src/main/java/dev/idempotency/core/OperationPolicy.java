package dev.idempotency.core;

import java.time.Duration;
import java.util.Objects;

import dev.idempotency.CoreSetting;
import dev.idempotency.Explanation;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.OnCrash;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.OnReplay;
import org.jspecify.annotations.Nullable;

/**
 * How an operation is protected.
 *
 * @param ttl how long its result is remembered
 * @param lease how long a claim holds unless it is renewed
 * @param onCrash what becomes of a key whose executor vanished
 * @param patience how long to wait for the same operation when it is already running;
 * zero: not at all
 * @param maxReplays how often a result is given out again; zero: without a limit
 * @param extendsOnReplay whether the ttl of a result runs anew whenever it is given out
 * again; such a result is given out without a limit
 */
public record OperationPolicy(Duration ttl, Duration lease, OnCrash onCrash, Duration patience, int maxReplays,
		boolean extendsOnReplay) {

	public OperationPolicy {
		new ClaimTerms(lease, ttl, onCrash, OnReplay.READ);
		Objects.requireNonNull(patience, "patience must not be null");
		if (patience.isNegative() || patience.compareTo(ClaimTerms.MAX_DURATION) > 0) {
			throw new IdempotencyConfigurationException(
					Explanation.of("%s must be between 0s and %d days, but is %s", CoreSetting.WAIT_TIMEOUT,
							ClaimTerms.MAX_DURATION.toDays(), patience),
					Explanation.of("Write a duration such as 10s."));
		}
		if (maxReplays < 0) {
			throw new IdempotencyConfigurationException(
					Explanation.of("%s must not be negative, but is %d", CoreSetting.MAX_REPLAYS, maxReplays),
					Explanation.of("Write 0 for no limit."));
		}
		if (extendsOnReplay && maxReplays > 0) {
			throw new IllegalArgumentException(
					"A result that lives longer with each replay cannot have a limit of replays, but it is %d"
						.formatted(maxReplays));
		}
	}

	/**
	 * Create the policy of an operation whose results live for their ttl and no longer.
	 */
	public OperationPolicy(Duration ttl, Duration lease, OnCrash onCrash, Duration patience, int maxReplays) {
		this(ttl, lease, onCrash, patience, maxReplays, false);
	}

	/**
	 * The policy of an operation that is not waited for, retried after a crash and
	 * replayed without a limit.
	 */
	public static OperationPolicy of(Duration ttl, Duration lease) {
		return new OperationPolicy(ttl, lease, OnCrash.RETRY, Duration.ZERO, 0);
	}

	/**
	 * This policy with another ttl.
	 */
	public OperationPolicy withTtl(Duration ttl) {
		return new OperationPolicy(ttl, this.lease, this.onCrash, this.patience, this.maxReplays, this.extendsOnReplay);
	}

	/**
	 * This policy with another answer to a crash.
	 */
	public OperationPolicy withOnCrash(OnCrash onCrash) {
		return new OperationPolicy(this.ttl, this.lease, onCrash, this.patience, this.maxReplays, this.extendsOnReplay);
	}

	/**
	 * This policy with more or less patience.
	 */
	public OperationPolicy withPatience(Duration patience) {
		return new OperationPolicy(this.ttl, this.lease, this.onCrash, patience, this.maxReplays, this.extendsOnReplay);
	}

	/**
	 * This policy with another limit of replays.
	 * @throws IllegalArgumentException if there is a limit and replays extend the life of
	 * a result
	 */
	public OperationPolicy withMaxReplays(int maxReplays) {
		return new OperationPolicy(this.ttl, this.lease, this.onCrash, this.patience, maxReplays, this.extendsOnReplay);
	}

	/**
	 * This policy with results whose ttl runs anew whenever they are given out again, and
	 * without a limit of replays: for what must live as long as someone still asks for
	 * it.
	 * @return the policy
	 */
	public OperationPolicy withExtendingReplays() {
		return new OperationPolicy(this.ttl, this.lease, this.onCrash, this.patience, 0, true);
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
