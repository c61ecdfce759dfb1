package dev.idempotency.test;

import java.time.Duration;

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

	/**
	 * How long something is waited for that should not take any time: on a busy machine
	 * it may. Only a store that breaks its promise makes a test wait for so long.
	 * @return how long
	 */
	default Duration patience() {
		return Duration.ofSeconds(10);
	}

}
