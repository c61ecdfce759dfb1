package dev.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * Whose key it is and what for: the same client key in another scope is another key.
 * <p>
 * An absent principal or tenant is {@code null} and never equal to any name, so that no
 * user can be called like the anonymous one.
 *
 * @param namespace the application; empty where the engine is to fill in its own
 * @param operation what the key protects, such as {@code POST /payments}
 * @param principal the authenticated caller, or {@code null} if there is none
 * @param tenant the tenant, or {@code null} if there is none
 */
public record IdempotencyScope(String namespace, String operation, @Nullable String principal,
		@Nullable String tenant) {

	/**
	 * The longest part, in characters.
	 */
	public static final int MAX_PART_LENGTH = 2048;

	public IdempotencyScope {
		KeyText.requireWellFormed("namespace", namespace, MAX_PART_LENGTH);
		KeyText.requireNotBlank("operation", operation, MAX_PART_LENGTH);
		if (principal != null) {
			KeyText.requireWellFormed("principal", principal, MAX_PART_LENGTH);
		}
		if (tenant != null) {
			KeyText.requireWellFormed("tenant", tenant, MAX_PART_LENGTH);
		}
	}

	/**
	 * The scope of an operation that belongs to nobody in particular.
	 * @param operation what the key protects
	 * @return the scope
	 */
	public static IdempotencyScope of(String operation) {
		return new IdempotencyScope("", operation, null, null);
	}

	/**
	 * This scope inside an application's namespace; a scope that has a namespace keeps
	 * it.
	 * @param namespace the namespace
	 * @return the scope
	 */
	public IdempotencyScope within(String namespace) {
		return hasNamespace() ? this : new IdempotencyScope(namespace, this.operation, this.principal, this.tenant);
	}

	/**
	 * Whether the application is known.
	 * @return whether there is a namespace
	 */
	public boolean hasNamespace() {
		return !this.namespace.isEmpty();
	}

	/**
	 * Another one in each process, so that no caller can be called in such a way that
	 * many share one.
	 */
	@Override
	public int hashCode() {
		SeededHash seeded = SeededHash.ofThisProcess();
		return seeded.finish(addTo(seeded));
	}

	long addTo(SeededHash seeded) {
		long hash = seeded.add(seeded.add(0, this.namespace), this.operation);
		return seeded.add(seeded.add(hash, this.principal), this.tenant);
	}

	/**
	 * Names the operation only: who the caller is stays out of logs.
	 */
	@Override
	public String toString() {
		return this.operation;
	}

}
