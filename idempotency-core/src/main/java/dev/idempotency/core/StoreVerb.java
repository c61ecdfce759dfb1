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
	 * Leave a key to its next attempt, because the outcome of this one is unknown.
	 */
	ABANDON,

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
