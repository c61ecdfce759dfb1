package dev.idempotency.web;

/**
 * The phases of a protected request that runs.
 *
 * <pre>
 *             an error for the container to render
 *   RUNNING ──────────────────────────────────────► AWAITING_ERROR
 *      │                                                  │
 *      │  end of the dispatch, the task, the transaction  │
 *      │  or the request; a client that is gone           │
 *      ├──────────────────────────────────────────────────┘
 *      ▼
 *   SETTLED ───────────────────────────────────────► OVER
 *             what was settled is sent, or let go
 * </pre>
 */
enum Phase {

	/**
	 * The handler runs, or its response is being rendered.
	 */
	RUNNING,

	/**
	 * The container renders the error in a dispatch of its own.
	 */
	AWAITING_ERROR,

	/**
	 * The key is completed or released, or is about to be. No other thread may settle it.
	 */
	SETTLED,

	/**
	 * The response was sent, or left to the container.
	 */
	OVER;

	boolean leadsTo(Phase next) {
		return switch (next) {
			case RUNNING -> false;
			case AWAITING_ERROR -> this == RUNNING;
			case SETTLED -> this == RUNNING || this == AWAITING_ERROR;
			case OVER -> this == SETTLED;
		};
	}

}
