package dev.idempotency.core;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Predicate;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * An attempt at an operation, with every default resolved.
 *
 * @param fingerprint the fingerprint of the request
 * @param policy how it is protected
 * @param trace the trace of the attempt, or {@code null} for the calling thread's
 * @param firstSent when the key was first sent, as its caller tells, or {@code null}. If
 * that is too long ago, the attempt is not the first one, whatever the store has
 * @param replayable whether its caller may get a stored result, or {@code null} if it
 * always may; asked on the thread that decides
 */
public record Attempt(IdempotencyKey key, Fingerprint fingerprint, OperationPolicy policy, @Nullable String trace,
		@Nullable Instant firstSent, @Nullable Predicate<StoredResult> replayable) {

	/**
	 * How far the clocks of callers may be ahead, and those of servers apart.
	 */
	private static final Duration CLOCK_DIFFERENCE = Duration.ofMinutes(1);

	public Attempt {
		Objects.requireNonNull(key, "key must not be null");
		Objects.requireNonNull(fingerprint, "fingerprint must not be null");
		Objects.requireNonNull(policy, "policy must not be null");
	}

	/**
	 * An attempt in the calling thread's trace.
	 */
	public Attempt(IdempotencyKey key, Fingerprint fingerprint, OperationPolicy policy) {
		this(key, fingerprint, policy, null, null, null);
	}

	/**
	 * This attempt, whose caller may not get every stored result.
	 */
	public Attempt replayedIf(Predicate<StoredResult> replayable) {
		return new Attempt(this.key, this.fingerprint, this.policy, this.trace, this.firstSent, replayable);
	}

	/**
	 * The attempt by which an execution that lost its claim tries to store its result. It
	 * does not run, and ignores limits that apply to clients. Its caller may get what
	 * another attempt has stored: the operation ran for it just now.
	 */
	Attempt toRegainClaim() {
		return new Attempt(this.key, this.fingerprint,
				this.policy.withTtl(ttl()).withOnCrash(OnCrash.RETRY).withMaxReplays(0), this.trace, null, null);
	}

	/**
	 * Whether this may be the first attempt. If its key was first sent longer ago than a
	 * record is kept, there may have been one, and its record may have expired.
	 */
	boolean mayBeFirst() {
		if (this.firstSent == null) {
			return true;
		}
		Instant now = Instant.now();
		return this.firstSent.plus(this.policy.ttl()).isAfter(now)
				&& !this.firstSent.isAfter(now.plus(CLOCK_DIFFERENCE));
	}

	/**
	 * How long the record is kept. A record must outlive the time in which its key may be
	 * claimed first, also if that began in the future, and ends by another clock.
	 */
	private Duration ttl() {
		Duration ttl = this.policy.ttl();
		Duration longest = ClaimTerms.MAX_DURATION.minus(CLOCK_DIFFERENCE.multipliedBy(2));
		return (this.firstSent == null || ttl.compareTo(longest) > 0) ? ttl
				: ttl.plus(CLOCK_DIFFERENCE.multipliedBy(2));
	}

	Attempt within(String namespace) {
		return this.key.scope().hasNamespace() ? this : new Attempt(this.key.within(namespace), this.fingerprint,
				this.policy, this.trace, this.firstSent, this.replayable);
	}

	/**
	 * This attempt in a trace, unless it has one.
	 */
	Attempt in(@Nullable String current) {
		return (current == null || this.trace != null) ? this
				: new Attempt(this.key, this.fingerprint, this.policy, current, this.firstSent, this.replayable);
	}

	ClaimTerms terms() {
		return ((this.firstSent == null) ? this.policy : this.policy.withTtl(ttl())).terms(this.trace);
	}

}
