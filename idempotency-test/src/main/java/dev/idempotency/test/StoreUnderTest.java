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
	 */
	IdempotencyStore store();

	/**
	 * Returns a second instance of the store over the same records, as another process
	 * has it: another object, with connections of its own. It is the same one throughout
	 * a test. A store whose records are in the object itself returns {@link #store()},
	 * and says by {@link dev.idempotency.store.ShutdownAwareStore} that they end with it.
	 */
	IdempotencyStore otherInstance();

	/**
	 * How time passes for the store.
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
