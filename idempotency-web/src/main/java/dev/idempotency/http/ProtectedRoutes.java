package dev.idempotency.http;

import java.time.Duration;
import java.util.List;

import dev.idempotency.Effect;
import dev.idempotency.OnConflict;
import dev.idempotency.OnCrash;
import dev.idempotency.core.OperationPolicy;

/**
 * How functional routes are protected. Each {@code with…} method returns a filter for
 * routes that differ from the defaults.
 */
public abstract class ProtectedRoutes<F> {

	private final ProtectedOperations operations;

	private final ProtectedOperation operation;

	/**
	 * Create a filter.
	 * @param operations how each operation is protected
	 * @param operation the operation of the routes
	 */
	protected ProtectedRoutes(ProtectedOperations operations, ProtectedOperation operation) {
		this.operations = operations;
		this.operation = operation;
	}

	/**
	 * A filter for routes with another operation.
	 */
	protected abstract F with(ProtectedOperation operation);

	/**
	 * How each operation is protected.
	 */
	protected final ProtectedOperations operations() {
		return this.operations;
	}

	/**
	 * The operation of the routes.
	 */
	protected final ProtectedOperation operation() {
		return this.operation;
	}

	/**
	 * A filter for routes where a request without a key runs unprotected.
	 */
	public final F withOptionalKey() {
		return with(this.operation.withOptionalKey());
	}

	/**
	 * A filter for routes whose key comes from another source.
	 * @param expression as in {@link dev.idempotency.Idempotent#key()}
	 */
	public final F withKey(String expression) {
		return with(this.operation.withKeySource(this.operations.keySource(expression, "a route")));
	}

	/**
	 * A filter for routes where the key alone tells requests apart, as with
	 * {@link dev.idempotency.Idempotent#fingerprint()}.
	 */
	public final F withoutFingerprint() {
		return withUsed(this.operation.withoutFingerprint());
	}

	/**
	 * A filter for routes where retries may differ in parts of a JSON body, as with
	 * {@link dev.idempotency.Idempotent#fingerprintExcludes()}.
	 * @param pointers JSON pointers to these parts
	 */
	public final F withFingerprintExcludes(String... pointers) {
		return withUsed(this.operation
			.excluding(this.operations.excluding(List.of(pointers), "The fingerprint excludes of a route")));
	}

	/**
	 * A filter for routes whose records have another ttl.
	 * @param ttl how long the records are kept
	 */
	public final F withTtl(Duration ttl) {
		return withPolicy(this.operation.policy().withTtl(ttl));
	}

	/**
	 * A filter for routes that treat conflicts differently.
	 * @param onConflict what happens to a request whose key is in progress
	 */
	public final F withOnConflict(OnConflict onConflict) {
		return withPolicy(this.operation.policy().withPatience(this.operations.patience(onConflict)));
	}

	/**
	 * A filter for routes that treat a crash differently.
	 * @param onCrash what happens to an abandoned key
	 */
	public final F withOnCrash(OnCrash onCrash) {
		return withPolicy(this.operation.policy().withOnCrash(onCrash));
	}

	/**
	 * A filter for routes that declare their effect.
	 */
	public final F withEffect(Effect effect) {
		return with(this.operation.withEffect(effect));
	}

	/**
	 * A filter for routes whose event streams are stored, as with
	 * {@link dev.idempotency.Idempotent#storeEvents()}.
	 */
	public final F withStoredEvents() {
		return with(this.operation.with(this.operation.policy(), this.operation.limits().withEvents()));
	}

	private F withUsed(ProtectedOperation operation) {
		operation.requireUsedFingerprint("A route");
		return with(operation);
	}

	private F withPolicy(OperationPolicy policy) {
		return with(this.operation.with(policy, this.operation.limits()));
	}

}
