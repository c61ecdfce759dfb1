package dev.idempotency.web;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts how often each handler really ran.
 */
final class Executions {

	private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();

	private final Runnable work;

	Executions() {
		this(() -> {
		});
	}

	/**
	 * Counts handlers that have something to do.
	 * @param work what each of them does, in the middle of its answer if it streams
	 */
	Executions(Runnable work) {
		this.work = work;
	}

	/**
	 * Counts an execution.
	 * @return something that no other execution returns
	 */
	String next(String handler) {
		int count = this.counts.computeIfAbsent(handler, (name) -> new AtomicInteger()).incrementAndGet();
		this.work.run();
		return "%s no. %d %s".formatted(handler, count, UUID.randomUUID());
	}

	int of(String handler) {
		AtomicInteger count = this.counts.get(handler);
		return (count != null) ? count.get() : 0;
	}

	void clear() {
		this.counts.clear();
	}

}
