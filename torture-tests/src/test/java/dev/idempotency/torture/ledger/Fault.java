package dev.idempotency.torture.ledger;

import java.time.Duration;

/**
 * Something that goes wrong.
 *
 * @param kind what
 * @param after how long after the fault before it
 * @param slot to which of the processes, or to the way from which of them to the store
 * @param place to which place of the store
 * @param lasting for how long
 */
record Fault(Kind kind, Duration after, int slot, int place, Duration lasting) {

	/**
	 * What can go wrong, beside connections of clients that are cut all the time and
	 * clocks that are never right.
	 */
	enum Kind {

		/**
		 * A process is killed, as {@code kill -9} does, and another one started.
		 */
		KILL,

		/**
		 * A process stands still ({@code SIGSTOP}), and goes on later.
		 */
		PAUSE,

		/**
		 * The store's server is killed, and started again.
		 */
		RESTART_STORE,

		/**
		 * The store's server stands still ({@code SIGSTOP}), and goes on later.
		 */
		PAUSE_STORE,

		/**
		 * Another server takes the place of the store's.
		 */
		FAIL_OVER,

		/**
		 * All connections of a process to the store are cut, and new ones refused for a
		 * while.
		 */
		CUT_STORE,

		/**
		 * What the store says to a process is held back for a while, and comes then.
		 */
		STALL_STORE,

		/**
		 * Everything between a process and the store takes longer for a while.
		 */
		SLOW_STORE;

		/**
		 * Whether it happens to a process, and not to the store or the way to it.
		 */
		boolean isOfProcess() {
			return this == KILL || this == PAUSE;
		}

	}

}
