package dev.idempotency.core;

import java.util.Objects;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.store.ClaimTerms;
import org.jspecify.annotations.Nullable;

/**
 * One try at an operation, with every default resolved.
 *
 * @param key the key
 * @param fingerprint what the operation is asked to do
 * @param policy how it is protected
 * @param trace the trace in which it is made, or {@code null} if the engine is to find
 * out
 */
public record Attempt(IdempotencyKey key, Fingerprint fingerprint, OperationPolicy policy, @Nullable String trace) {

	public Attempt {
		Objects.requireNonNull(key, "key must not be null");
		Objects.requireNonNull(fingerprint, "fingerprint must not be null");
		Objects.requireNonNull(policy, "policy must not be null");
	}

	/**
	 * An attempt in the trace that its thread works in.
	 */
	public Attempt(IdempotencyKey key, Fingerprint fingerprint, OperationPolicy policy) {
		this(key, fingerprint, policy, null);
	}

	/**
	 * What an execution that lost its claim asks for: not to run, only to store what it
	 * has, whatever became of its successor.
	 */
	Attempt toRegainClaim() {
		return new Attempt(this.key, this.fingerprint, this.policy.withOnCrash(OnCrash.RETRY).withMaxReplays(0),
				this.trace);
	}

	Attempt within(String namespace) {
		return this.key.scope().hasNamespace() ? this
				: new Attempt(this.key.within(namespace), this.fingerprint, this.policy, this.trace);
	}

	/**
	 * This attempt in a trace, unless it has one.
	 */
	Attempt in(@Nullable String current) {
		return (current == null || this.trace != null) ? this
				: new Attempt(this.key, this.fingerprint, this.policy, current);
	}

	ClaimTerms terms() {
		return this.policy.terms(this.trace);
	}

}
