package dev.idempotency.web;

/**
 * Transactions in which a dry run can do everything, because nothing of it stays.
 */
@FunctionalInterface
public interface RollbackOnlyTransactions {

	/**
	 * Begins a transaction on this thread.
	 * @return rolls it back when closed, on the same thread
	 */
	Rollback begin();

	/**
	 * The end of such a transaction.
	 */
	@FunctionalInterface
	interface Rollback extends AutoCloseable {

		@Override
		void close();

	}

}
