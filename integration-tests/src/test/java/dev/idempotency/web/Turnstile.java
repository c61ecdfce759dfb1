package dev.idempotency.web;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Holds a handler until the test lets it go.
 */
final class Turnstile {

	private final Semaphore arrived = new Semaphore(0);

	private final Semaphore open = new Semaphore(0);

	/**
	 * Called by the handler.
	 */
	void pass() {
		this.arrived.release();
		acquire(this.open);
	}

	/**
	 * Sends a request, and returns when its handler has been reached.
	 */
	CompletableFuture<Answer> hold(TestServer.Call call) {
		CompletableFuture<Answer> answer = CompletableFuture.supplyAsync(call::send, Turnstile::startThread);
		acquire(this.arrived);
		return answer;
	}

	/**
	 * Lets the handler go, and returns its answer.
	 */
	Answer letGo(CompletableFuture<Answer> held) {
		this.open.release();
		return held.join();
	}

	/**
	 * Lets all handlers go, and returns their answers.
	 */
	List<Answer> letGo(List<CompletableFuture<Answer>> held) {
		this.open.release(held.size());
		return held.stream().map(CompletableFuture::join).toList();
	}

	private static void startThread(Runnable task) {
		Thread thread = new Thread(task, "held");
		thread.setDaemon(true);
		thread.start();
	}

	private static void acquire(Semaphore semaphore) {
		try {
			if (!semaphore.tryAcquire(60, TimeUnit.SECONDS)) {
				throw new IllegalStateException("Nobody came");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

}
