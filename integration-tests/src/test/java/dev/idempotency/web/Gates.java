package dev.idempotency.web;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Lets handlers and tests wait for each other. A gate is closed until it is opened, and
 * then stays open.
 */
final class Gates {

	private static final long SECONDS = 60;

	private final Map<String, CompletableFuture<Boolean>> gates = new ConcurrentHashMap<>();

	private CompletableFuture<Boolean> gate(String name) {
		return this.gates.computeIfAbsent(name, (it) -> new CompletableFuture<>());
	}

	void open(String name) {
		gate(name).complete(true);
	}

	/**
	 * Waits before a gate without a thread, and goes on with one of those that may block.
	 */
	Mono<Boolean> passing(String name) {
		return Mono.fromFuture(() -> gate(name), true)
			.publishOn(Schedulers.boundedElastic())
			.timeout(Duration.ofSeconds(SECONDS));
	}

	/**
	 * Waits before a gate, also when someone interrupts.
	 */
	void await(String name) {
		boolean interrupted = false;
		long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
		try {
			while (true) {
				try {
					gate(name).get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
					return;
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
				catch (ExecutionException | TimeoutException ex) {
					throw new IllegalStateException("Nobody has opened " + name, ex);
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
