package dev.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * What a key belongs to. The same client key in another scope is another key.
 * <p>
 * An absent principal or tenant is {@code null}, which equals no name: no user name can
 * collide with the anonymous caller.
 *
 * @param namespace the application; empty to use the engine's own
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
	 * The scope of an operation without a principal or a tenant.
	 * @param operation what the key protects
	 */
	public static IdempotencyScope of(String operation) {
		return new IdempotencyScope("", operation, null, null);
	}

	/**
	 * This scope inside an application's namespace; a scope that has a namespace keeps
	 * it.
	 */
	public IdempotencyScope within(String namespace) {
		return hasNamespace() ? this : new IdempotencyScope(namespace, this.operation, this.principal, this.tenant);
	}

	/**
	 * Whether the scope has a namespace.
	 * @return whether there is a namespace
	 */
	public boolean hasNamespace() {
		return !this.namespace.isEmpty();
	}

	/**
	 * Differs in each process, so that no caller can choose names that collide.
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
	 * The operation only: the caller's identity stays out of logs.
	 */
	@Override
	public String toString() {
		return this.operation;
	}

}
