package dev.idempotency.core;

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
 * @param replayable whether its caller may get a stored result, or {@code null} if it
 * always may; asked on the thread that decides
 */
public record Attempt(IdempotencyKey key, Fingerprint fingerprint, OperationPolicy policy, @Nullable String trace,
		@Nullable Predicate<StoredResult> replayable) {

	public Attempt {
		Objects.requireNonNull(key, "key must not be null");
		Objects.requireNonNull(fingerprint, "fingerprint must not be null");
		Objects.requireNonNull(policy, "policy must not be null");
	}

	/**
	 * An attempt in the calling thread's trace.
	 */
	public Attempt(IdempotencyKey key, Fingerprint fingerprint, OperationPolicy policy) {
		this(key, fingerprint, policy, null, null);
	}

	/**
	 * This attempt, whose caller may not get every stored result.
	 */
	public Attempt replayedIf(Predicate<StoredResult> replayable) {
		return new Attempt(this.key, this.fingerprint, this.policy, this.trace, replayable);
	}

	/**
	 * The attempt by which an execution that lost its claim tries to store its result. It
	 * does not run, and ignores limits that apply to clients. Its caller may get what
	 * another attempt has stored: the operation ran for it just now.
	 */
	Attempt toRegainClaim() {
		return new Attempt(this.key, this.fingerprint, this.policy.withOnCrash(OnCrash.RETRY).withMaxReplays(0),
				this.trace, null);
	}

	Attempt within(String namespace) {
		return this.key.scope().hasNamespace() ? this
				: new Attempt(this.key.within(namespace), this.fingerprint, this.policy, this.trace, this.replayable);
	}

	/**
	 * This attempt in a trace, unless it has one.
	 */
	Attempt in(@Nullable String current) {
		return (current == null || this.trace != null) ? this
				: new Attempt(this.key, this.fingerprint, this.policy, current, this.replayable);
	}

	ClaimTerms terms() {
		return this.policy.terms(this.trace);
	}

}
