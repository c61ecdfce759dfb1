package dev.idempotency.store;

/**
 * A store that loses something when the application shuts down. One that does not say so
 * is taken to be of use until the very end, as databases are.
 */
public interface ShutdownAwareStore extends IdempotencyStore {

	/**
	 * What a shutdown takes from the store. It is always the same, and no server is asked
	 * for it.
	 * @return what is lost
	 */
	Loss lostAtShutdown();

	/**
	 * What a store loses.
	 */
	enum Loss {

		/**
		 * Its records, which end with the process: there is nobody to protect them from,
		 * so that executions need not be waited for.
		 */
		RECORDS,

		/**
		 * Its connections, while executors may still have tasks: none of these may begin
		 * once executions have been waited for.
		 */
		CONNECTIONS

	}

}
