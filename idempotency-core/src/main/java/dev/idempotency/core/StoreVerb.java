package dev.idempotency.core;

import java.util.Locale;

/**
 * What the engine asks of a store.
 */
public enum StoreVerb {

	/**
	 * Take the key.
	 */
	CLAIM,

	/**
	 * Let the lease run anew.
	 */
	RENEW,

	/**
	 * Store the result.
	 */
	COMPLETE,

	/**
	 * Give the key back.
	 */
	RELEASE,

	/**
	 * Say what is remembered.
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
