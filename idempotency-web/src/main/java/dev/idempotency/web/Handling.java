package dev.idempotency.web;

import java.io.IOException;

/**
 * What happens to a request. Until the decision, and if the handler is not protected, the
 * request is only passed through.
 */
interface Handling {

	/**
	 * Nothing has been decided.
	 */
	Handling UNDECIDED = new Handling() {
	};

	/**
	 * Whether the decision about a handler is still to be made.
	 */
	default boolean isUndecided() {
		return true;
	}

	/**
	 * Whether a handler runs, and its response is recorded.
	 */
	default boolean isRun() {
		return false;
	}

	/**
	 * Records on the response of another dispatch.
	 */
	default void recordOn(ExchangeResponse response) {
	}

	/**
	 * Continues the record on another response.
	 */
	default void continueOn(ExchangeResponse response) {
	}

	/**
	 * Fails if the handler must not continue outside of its dispatch.
	 */
	default void requireFreeToLeaveDispatch() {
	}

	/**
	 * Whether the handler continues without its client, outside of any dispatch.
	 */
	default boolean isDetached() {
		return false;
	}

	/**
	 * Whether the handler has continued without its client, finished or not, or was
	 * abandoned before it began.
	 */
	default boolean wasDetached() {
		return false;
	}

	/**
	 * Whether the response must not be finished: the next dispatch fails instead.
	 */
	default boolean isCut() {
		return false;
	}

	/**
	 * Fails if the response must not be finished.
	 */
	default void failIfCut() throws IOException {
	}

	/**
	 * Whether the key is settled, or is being settled.
	 */
	default boolean isSettled() {
		return false;
	}

	/**
	 * A dispatch has ended, and no asynchronous one follows.
	 */
	default void endOfDispatch() throws IOException {
	}

	/**
	 * A dispatch has failed with an exception that was not handled.
	 */
	default void failed() {
	}

	/**
	 * The handler has ended asynchronous processing itself.
	 */
	default void completedByHandler() {
	}

	/**
	 * Asynchronous processing has timed out, and the work may continue.
	 * @param answeredByContainer whether the container may respond by itself, without
	 * another dispatch
	 */
	default void timedOut(boolean answeredByContainer) {
	}

	/**
	 * A task that was given to the container has failed, outside of any dispatch.
	 */
	default void taskFailed(Throwable failure) {
	}

	/**
	 * The connection of an asynchronous request is broken.
	 * @param timeout how long the request might have taken, in milliseconds
	 */
	default void connectionLost(long timeout) {
	}

	/**
	 * Holds a callback back until a detached task has ended.
	 * @return whether there is such a task
	 */
	default boolean holdBack(HandlerTask.Callback callback) {
		return false;
	}

	/**
	 * The container has finished the request.
	 */
	default void requestIsOver() {
	}

	/**
	 * Makes further writes fail, because no client reads them.
	 */
	default void recordNothingMore() {
	}

}
