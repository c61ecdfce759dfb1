package dev.idempotency.test;

import dev.idempotency.store.IdempotencyStore;

/**
 * What the contracts need to know of a store.
 */
public interface StoreUnderTest {

	/**
	 * The store: the same one throughout a test. It need not be empty, since every test
	 * uses keys of its own.
	 * @return the store
	 */
	IdempotencyStore store();

	/**
	 * How time passes for the store.
	 * @return the time
	 */
	StoreTime time();

}
