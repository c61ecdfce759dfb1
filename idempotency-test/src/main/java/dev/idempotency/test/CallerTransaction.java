package dev.idempotency.test;

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

}
