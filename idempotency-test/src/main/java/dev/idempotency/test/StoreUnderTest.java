package dev.idempotency.test;

import java.time.Duration;

import dev.idempotency.store.IdempotencyStore;

/**
 * The store that a contract tests.
 */
public interface StoreUnderTest {

	/**
	 * Returns the store, which is the same one throughout a test. It need not be empty,
	 * since every test uses keys of its own.
	 * @return the store
	 */
	IdempotencyStore store();

	/**
	 * How time passes for the store.
	 * @return the time
	 */
	StoreTime time();

	/**
	 * How long to wait for something that should happen at once, but may take longer on a
	 * busy machine. Only a store that breaks the contract makes a test wait for so long.
	 * @return how long
	 */
	default Duration patience() {
		return Duration.ofSeconds(10);
	}

}
