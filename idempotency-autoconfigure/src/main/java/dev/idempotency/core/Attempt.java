package dev.idempotency.core;

import java.util.Objects;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;

/**
 * One try at an operation, with every default resolved.
 *
 * @param key the key
 * @param fingerprint what the operation is asked to do
 * @param policy how it is protected
 */
public record Attempt(IdempotencyKey key, Fingerprint fingerprint, OperationPolicy policy) {

	public Attempt {
		Objects.requireNonNull(key, "key must not be null");
		Objects.requireNonNull(fingerprint, "fingerprint must not be null");
		Objects.requireNonNull(policy, "policy must not be null");
	}

	/**
	 * What an execution that lost its claim asks for: not to run, only to store what it
	 * has, whatever became of its successor.
	 */
	Attempt toRegainClaim() {
		return new Attempt(this.key, this.fingerprint, this.policy.withOnCrash(OnCrash.RETRY).withMaxReplays(0));
	}

	Attempt within(String namespace) {
		return this.key.scope().hasNamespace() ? this
				: new Attempt(this.key.within(namespace), this.fingerprint, this.policy);
	}

}
