package dev.idempotency.core;

import java.util.Locale;

/**
 * The calls that the engine makes to a store.
 */
public enum StoreVerb {

	/**
	 * Claim a key.
	 */
	CLAIM,

	/**
	 * Renew a lease.
	 */
	RENEW,

	/**
	 * Store a result.
	 */
	COMPLETE,

	/**
	 * Release a key.
	 */
	RELEASE,

	/**
	 * Read a record.
	 */
	FIND,

	/**
	 * Forget a key.
	 */
	FORGET;

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT);
	}

}
