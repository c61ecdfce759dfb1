package dev.idempotency.web;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;

import dev.idempotency.http.Settlement.AfterTimeout;

/**
 * The task of a handler, which runs on a thread of its own. If its client disconnects, it
 * is detached from the request and continues: what it writes is stored for the retry.
 *
 * <pre>
 *   GIVEN ──────► RUNNING ──────► DONE ──────► ENDED
 *     │              ▲                           │
 *     ▼              └───────────────────────────┘
 *   ABANDONED            the handler's next task
 * </pre>
 */
final class HandlerTask {

	private State state = State.GIVEN;

	private boolean streaming;

	private boolean detached;

	private boolean left;

	private boolean untold;

	private boolean succeeded;

	private List<Callback> heldBack = List.of();

	/**
	 * Whether the task writes the whole response itself, so that nothing is left to
	 * render when it is done.
	 */
	synchronized void streams(boolean streaming) {
		this.streaming = streaming;
	}

	/**
	 * The task begins.
	 * @throws CancellationException if it was abandoned
	 */
	synchronized void started() {
		if (this.state == State.ABANDONED) {
			throw new CancellationException("The client is gone, and its retry may run already");
		}
		this.state = State.RUNNING;
	}

	/**
	 * Abandons a task that has not begun. It never runs then.
	 * @return whether it is abandoned
	 */
	synchronized boolean abandon() {
		if (this.state == State.GIVEN) {
			this.state = State.ABANDONED;
		}
		return this.state == State.ABANDONED;
	}

	synchronized boolean isRunning() {
		return this.state == State.RUNNING || this.state == State.DONE;
	}

	/**
	 * Whether the task was given and has not ended.
	 */
	synchronized boolean isUnderWay() {
		return this.state == State.GIVEN || isRunning();
	}

	/**
	 * Asynchronous processing has timed out, and nothing will tell of the end of the
	 * task.
	 */
	synchronized void endIsUntold() {
		this.untold = true;
	}

	/**
	 * Whether the task continues after the response to a timeout. If it does, the key is
	 * left to it.
	 */
	synchronized AfterTimeout leave() {
		if (this.state == State.RUNNING && !this.untold) {
			this.left = true;
			this.detached = true;
			return AfterTimeout.CONTINUES;
		}
		if (abandon() || this.state != State.RUNNING) {
			return this.succeeded ? AfterTimeout.SUCCEEDED : AfterTimeout.FAILED;
		}
		return AfterTimeout.UNKNOWN;
	}

	/**
	 * Whether the key was left to the task.
	 */
	synchronized boolean isLeft() {
		return this.left;
	}

	/**
	 * Whether the task has ended with a failure.
	 */
	synchronized boolean hasFailed() {
		return (this.state == State.DONE || this.state == State.ENDED) && !this.succeeded;
	}

	/**
	 * Lets a running task continue without its client.
	 * @return whether it is detached
	 */
	synchronized boolean detach() {
		this.detached = this.detached || this.state == State.RUNNING;
		return this.detached;
	}

	/**
	 * The task has done its work, and can no longer be detached.
	 * @return whether it was detached
	 */
	synchronized boolean done(boolean success) {
		if (this.state == State.RUNNING) {
			this.state = State.DONE;
		}
		this.succeeded = success;
		return this.detached;
	}

	synchronized boolean isDetached() {
		return this.detached && isRunning();
	}

	/**
	 * Whether the task lost its client, before it began or while it ran.
	 */
	synchronized boolean wasDetached() {
		return this.detached || this.state == State.ABANDONED;
	}

	/**
	 * Whether the task has written all that it had to write.
	 */
	synchronized boolean hasSucceeded() {
		return this.succeeded;
	}

	/**
	 * Whether the task has written the whole response.
	 */
	synchronized boolean hasStreamed() {
		return this.streaming && this.succeeded;
	}

	/**
	 * Holds a callback back until a detached task has ended.
	 * @return whether it is held back
	 */
	synchronized boolean holdBack(Callback callback) {
		if (!isDetached()) {
			return false;
		}
		if (this.heldBack.isEmpty()) {
			this.heldBack = new ArrayList<>();
		}
		return this.heldBack.add(callback);
	}

	/**
	 * The task has ended: runs the callbacks that were held back.
	 */
	void ended() throws IOException {
		List<Callback> callbacks;
		synchronized (this) {
			if (this.state != State.ABANDONED) {
				this.state = State.ENDED;
			}
			callbacks = List.copyOf(this.heldBack);
		}
		for (Callback callback : callbacks) {
			callback.run();
		}
	}

	private enum State {

		/**
		 * Returned by the handler, and not begun.
		 */
		GIVEN,

		/**
		 * Lost its client before it began. It never runs.
		 */
		ABANDONED,

		RUNNING,

		/**
		 * Its work is done, and its key is about to be settled.
		 */
		DONE,

		ENDED

	}

	/**
	 * A container's callback that waits for a detached task.
	 */
	@FunctionalInterface
	interface Callback {

		void run() throws IOException;

	}

}
