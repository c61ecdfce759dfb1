package dev.idempotency.web;

/**
 * Where a protected request is on its way.
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
	 * The handler runs, or its answer is being rendered.
	 */
	RUNNING,

	/**
	 * The container renders the error in a dispatch of its own.
	 */
	AWAITING_ERROR,

	/**
	 * The key has come to its end, or is about to, and nobody else may end it.
	 */
	SETTLED,

	/**
	 * The answer has left.
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
