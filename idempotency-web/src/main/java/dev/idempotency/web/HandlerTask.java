package dev.idempotency.web;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;

/**
 * The task of a handler that goes on, on a thread of its own, and may do so without its
 * client, detached from its request: what it writes is for the retry.
 */
final class HandlerTask {

	private boolean begun;

	private boolean running;

	private boolean abandoned;

	private boolean done;

	private boolean succeeded;

	private boolean detached;

	private List<Callback> heldBack = List.of();

	/**
	 * The task begins.
	 * @throws CancellationException if it must not, since it was abandoned
	 */
	synchronized void started() {
		if (this.abandoned) {
			throw new CancellationException("The client is gone, and its retry may run already");
		}
		this.begun = true;
		this.running = true;
		this.done = false;
	}

	/**
	 * Gives up a task that nobody has begun with. It never runs then.
	 * @return whether there is one
	 */
	synchronized boolean abandon() {
		this.abandoned = !this.begun;
		return this.abandoned;
	}

	synchronized boolean isRunning() {
		return this.running;
	}

	/**
	 * Lets the task go on without its client.
	 * @return whether there is one that does
	 */
	synchronized boolean detach() {
		this.detached = this.detached || (this.running && !this.done);
		return this.detached;
	}

	/**
	 * The task has done what it had to do. From now on it cannot be detached: whoever
	 * ends it knows whether it was.
	 * @return whether it was detached
	 */
	synchronized boolean done(boolean success) {
		this.done = true;
		this.succeeded = success;
		return this.detached;
	}

	synchronized boolean isDetached() {
		return this.detached && this.running;
	}

	/**
	 * Whether the task went on without its client, be it done by now or not, or never
	 * began for want of one.
	 */
	synchronized boolean wasDetached() {
		return this.detached || this.abandoned;
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
	void ended() throws IOException {
		List<Callback> callbacks;
		synchronized (this) {
			this.running = false;
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
