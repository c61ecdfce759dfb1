package dev.idempotency.store;

/**
 * A store that loses records or connections when the application shuts down. Any other
 * store is expected to work until the end, as databases do.
 */
public interface ShutdownAwareStore extends IdempotencyStore {

	/**
	 * What the store loses at shutdown. It is constant, and takes no round trip.
	 * @return what is lost
	 */
	Loss lostAtShutdown();

	/**
	 * What a store loses.
	 */
	enum Loss {

		/**
		 * Its records, which end with the process: no other process could run their keys
		 * again, so that the shutdown need not wait for executions.
		 */
		RECORDS,

		/**
		 * Its connections, while thread pools may still have tasks: none of these may
		 * begin once the shutdown has waited for executions.
		 */
		CONNECTIONS

	}

}
