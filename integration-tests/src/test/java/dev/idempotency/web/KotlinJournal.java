package dev.idempotency.web;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts what handlers in Kotlin have done, and lets a test wait for them, and them for a
 * test.
 */
public final class KotlinJournal {

	private static final long SECONDS = 60;

	private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();

	private final Map<String, CompletableFuture<Boolean>> arrivals = new ConcurrentHashMap<>();

	private final Map<String, CompletableFuture<Boolean>> departures = new ConcurrentHashMap<>();

	/**
	 * Counts an execution, and returns its number.
	 */
	public int next(String name) {
		return count(name).incrementAndGet();
	}

	int of(String name) {
		return count(name).get();
	}

	private AtomicInteger count(String name) {
		return this.counts.computeIfAbsent(name, (it) -> new AtomicInteger());
	}

	/**
	 * Says that a handler has come to its waiting.
	 */
	public void arrive(String name) {
		this.arrivals.computeIfAbsent(name, (it) -> new CompletableFuture<>()).complete(true);
	}

	/**
	 * Ends when the test lets the handler go. Whoever cancels it cancels nothing else.
	 */
	public CompletableFuture<Boolean> leaving(String name) {
		return this.departures.computeIfAbsent(name, (it) -> new CompletableFuture<>())
			.copy()
			.orTimeout(SECONDS, TimeUnit.SECONDS);
	}

	void awaitArrival(String name) {
		this.arrivals.computeIfAbsent(name, (it) -> new CompletableFuture<>())
			.copy()
			.orTimeout(SECONDS, TimeUnit.SECONDS)
			.join();
	}

	void letGo(String name) {
		this.departures.computeIfAbsent(name, (it) -> new CompletableFuture<>()).complete(true);
	}

}
