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

	/**
	 * Counts an execution.
	 * @return something that no other execution returns
	 */
	String next(String handler) {
		int count = this.counts.computeIfAbsent(handler, (name) -> new AtomicInteger()).incrementAndGet();
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
