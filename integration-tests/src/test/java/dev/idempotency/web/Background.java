package dev.idempotency.web;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * Threads for clients and handlers that wait for something: as many as there are tasks.
 */
final class Background {

	private static final Executor threads = Executors.newCachedThreadPool((task) -> {
		Thread thread = new Thread(task, "background");
		thread.setDaemon(true);
		return thread;
	});

	private Background() {
	}

	static <T> CompletableFuture<T> start(Supplier<T> task) {
		return CompletableFuture.supplyAsync(task, threads);
	}

	static void execute(Runnable task) {
		threads.execute(task);
	}

}
