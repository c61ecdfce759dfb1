package dev.idempotency.http;

import dev.idempotency.DryRun;
import dev.idempotency.Effect;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.StoredAnswers;
import dev.idempotency.core.BodyLimits;
import dev.idempotency.core.KnownOperation;
import dev.idempotency.core.OperationPolicy;
import org.jspecify.annotations.Nullable;

/**
 * How one handler is protected, with every default resolved.
 *
 * @param required whether a request without a key is refused
 * @param keySource where its key comes from
 * @param fingerprinted whether a retry must be the same request
 * @param policy how the engine protects it
 * @param limits how large its bodies may be
 * @param store which of its responses are stored
 * @param dryRun what a dry run of it does
 * @param streams whether it writes its response itself, piece by piece
 * @param tasks whether it may leave its response to a task on another thread
 * @param transactional whether it runs in the transaction in which its key is completed
 * @param excluding computes its fingerprints without some parts of the body, or
 * {@code null} if all of it counts
 */
public record ProtectedOperation(boolean required, KeySource keySource, boolean fingerprinted, OperationPolicy policy,
		BodyLimits limits, StoredAnswers store, DryRun dryRun, Effect effect, boolean streams, boolean tasks,
		boolean transactional, @Nullable RequestFingerprinter excluding) {

	/**
	 * How it is described to operators.
	 */
	public KnownOperation.Protection forPeople() {
		return new KnownOperation.Protection(this.keySource.description(), this.required, this.policy,
				this.transactional, this.limits);
	}

	/**
	 * This operation, with an optional key.
	 */
	public ProtectedOperation withOptionalKey() {
		return new ProtectedOperation(false, this.keySource, this.fingerprinted, this.policy, this.limits, this.store,
				this.dryRun, this.effect, this.streams, this.tasks, this.transactional, this.excluding);
	}

	/**
	 * This operation, with a key from elsewhere.
	 */
	public ProtectedOperation withKeySource(KeySource keySource) {
		return new ProtectedOperation(this.required, keySource, this.fingerprinted, this.policy, this.limits,
				this.store, this.dryRun, this.effect, this.streams, this.tasks, this.transactional, this.excluding);
	}

	/**
	 * This operation, without a comparison of requests.
	 */
	public ProtectedOperation withoutFingerprint() {
		return new ProtectedOperation(this.required, this.keySource, false, this.policy, this.limits, this.store,
				this.dryRun, this.effect, this.streams, this.tasks, this.transactional, this.excluding);
	}

	/**
	 * This operation, with another policy and other limits.
	 */
	public ProtectedOperation with(OperationPolicy policy, BodyLimits limits) {
		return new ProtectedOperation(this.required, this.keySource, this.fingerprinted, policy, limits, this.store,
				this.dryRun, this.effect, this.streams, this.tasks, this.transactional, this.excluding);
	}

	/**
	 * This operation, with another effect.
	 */
	public ProtectedOperation withEffect(Effect effect) {
		return new ProtectedOperation(this.required, this.keySource, this.fingerprinted, this.policy, this.limits,
				this.store, this.dryRun, effect, this.streams, this.tasks, this.transactional, this.excluding);
	}

	/**
	 * This operation, run in the transaction in which its key is completed.
	 */
	public ProtectedOperation inTransaction() {
		return new ProtectedOperation(this.required, this.keySource, this.fingerprinted, this.policy, this.limits,
				this.store, this.dryRun, this.effect, false, this.tasks, true, this.excluding);
	}

	/**
	 * This operation, with fingerprints of its own.
	 * @param excluding computes them, or {@code null} if all of the body counts
	 */
	public ProtectedOperation excluding(@Nullable RequestFingerprinter excluding) {
		return new ProtectedOperation(this.required, this.keySource, this.fingerprinted, this.policy, this.limits,
				this.store, this.dryRun, this.effect, this.streams, this.tasks, this.transactional, excluding);
	}

	/**
	 * Fails if parts of the body are to be left out of a fingerprint that nothing uses.
	 * @param name the name of the operation, for the message
	 */
	void requireUsedFingerprint(String name) {
		if (this.excluding != null && !this.fingerprinted && !this.keySource.isDerived()) {
			throw new IdempotencyConfigurationException(
					"%s leaves parts of the body out of its fingerprint, but has none: fingerprint is false"
						.formatted(name),
					"Leave the fingerprint excludes out, or fingerprint = false.");
		}
	}

}
