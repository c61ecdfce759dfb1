package dev.idempotency.web;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The task of a handler that writes its answer on a thread of its own, and may go on
 * without its client, detached from its request: the answer is for the retry.
 */
final class HandlerTask {

	private boolean running;

	private boolean succeeded;

	private boolean detached;

	private List<Callback> heldBack = List.of();

	synchronized void started() {
		this.running = true;
	}

	synchronized boolean isRunning() {
		return this.running;
	}

	/**
	 * Lets the task go on without its client.
	 * @return whether there is one that does
	 */
	synchronized boolean detach() {
		this.detached = this.running;
		return this.detached;
	}

	synchronized boolean isDetached() {
		return this.detached && this.running;
	}

	/**
	 * Whether the task went on without its client, be it done by now or not.
	 */
	synchronized boolean wasDetached() {
		return this.detached;
	}

	/**
	 * Whether the task has written all that it had to write.
	 */
	synchronized boolean hasSucceeded() {
		return this.succeeded;
	}

	/**
	 * Keeps something from others until a detached task has come to its end.
	 * @return whether there is one
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
	 * The task has come to its end, and who waited for it is told.
	 */
	void ended(boolean success) throws IOException {
		List<Callback> callbacks;
		synchronized (this) {
			this.running = false;
			this.succeeded = success;
			callbacks = List.copyOf(this.heldBack);
		}
		for (Callback callback : callbacks) {
			callback.run();
		}
	}

	/**
	 * Something to be told later.
	 */
	@FunctionalInterface
	interface Callback {

		void run() throws IOException;

	}

}
