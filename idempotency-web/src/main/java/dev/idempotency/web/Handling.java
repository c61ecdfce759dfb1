package dev.idempotency.web;

import java.io.IOException;

/**
 * What becomes of a request. As long as nothing is decided, and where nothing is
 * protected, it is carried and nothing else.
 */
interface Handling {

	/**
	 * Nothing has been decided.
	 */
	Handling UNDECIDED = new Handling() {
	};

	/**
	 * Whether a handler that is met now has to be decided about.
	 */
	default boolean isUndecided() {
		return true;
	}

	/**
	 * Whether a handler runs, and its answer is recorded.
	 */
	default boolean isRun() {
		return false;
	}

	/**
	 * Goes on with a response that another dispatch has brought.
	 */
	default void recordOn(ExchangeResponse response) {
	}

	/**
	 * Goes on with the record, on another response.
	 */
	default void continueOn(ExchangeResponse response) {
	}

	/**
	 * Fails if the handler must not go on outside of its dispatch.
	 */
	default void requireFreeToLeaveDispatch() {
	}

	/**
	 * Whether the handler goes on without its client, outside of any dispatch.
	 */
	default boolean isDetached() {
		return false;
	}

	/**
	 * Whether the handler went on without its client, be it done by now or not.
	 */
	default boolean wasDetached() {
		return false;
	}

	/**
	 * Whether the answer is on its way to the client and must not come to its end.
	 */
	default boolean isCut() {
		return false;
	}

	/**
	 * Fails if it must not.
	 */
	default void failIfCut() throws IOException {
	}

	/**
	 * Whether all that was to be said to the store was said.
	 */
	default boolean isSettled() {
		return false;
	}

	/**
	 * A dispatch has come to its end, and no asynchronous one follows.
	 */
	default void endOfDispatch() throws IOException {
	}

	/**
	 * A dispatch has failed with an exception that nobody handled.
	 */
	default void failed() {
	}

	/**
	 * The handler has ended asynchronous processing itself.
	 */
	default void completedByHandler() {
	}

	/**
	 * The time of an asynchronous request is over, and the container may answer by itself
	 * without another dispatch.
	 */
	default void timedOut() {
	}

	/**
	 * The connection of an asynchronous request is broken.
	 */
	default void connectionLost() {
	}

	/**
	 * Keeps something from others until a detached task has come to its end.
	 * @return whether there is one
	 */
	default boolean holdBack(HandlerTask.Callback callback) {
		return false;
	}

	/**
	 * The container is done with the request.
	 */
	default void requestIsOver() {
	}

	/**
	 * Whoever still writes is told that nobody reads it.
	 */
	default void recordNothingMore() {
	}

}
