package dev.idempotency.test;

import org.junit.jupiter.api.Assumptions;

/**
 * A transaction of the caller's, on the resource that the store uses too.
 */
public interface CallerTransaction {

	/**
	 * Does some work in a transaction that is then committed.
	 */
	void commitAfter(Runnable work);

	/**
	 * Does some work in a transaction that is then rolled back.
	 */
	void rollBackAfter(Runnable work);

	/**
	 * Does some work inside of such a transaction and then undoes only this work, as a
	 * savepoint does. Tests of it are skipped if transactions do not support that.
	 */
	default void undoAfter(Runnable work) {
		Assumptions.abort("Only whole transactions can be undone");
	}

}
