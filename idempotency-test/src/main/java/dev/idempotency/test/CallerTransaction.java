package dev.idempotency.test;

import org.junit.jupiter.api.Assumptions;

/**
 * A transaction of the caller's, on the resource that the store uses too.
 */
public interface CallerTransaction {

	/**
	 * Does some work in a transaction that is then committed.
	 * @param work the work
	 */
	void commitAfter(Runnable work);

	/**
	 * Does some work in a transaction that is then rolled back.
	 * @param work the work
	 */
	void rollBackAfter(Runnable work);

	/**
	 * Does some work inside of such a transaction and then undoes only this work, as a
	 * savepoint does. Tests of it are skipped if transactions do not support that.
	 * @param work the work
	 */
	default void undoAfter(Runnable work) {
		Assumptions.abort("Only whole transactions can be undone");
	}

}
