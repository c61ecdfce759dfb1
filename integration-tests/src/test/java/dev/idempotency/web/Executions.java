package dev.idempotency.web;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Counts how often each handler really ran.
 */
final class Executions {

	private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();

	private final Consumer<String> work;

	private final Predicate<String> blocking;

	Executions() {
		this((handler) -> {
		});
	}

	/**
	 * Counts handlers that have something to do.
	 * @param work what each of them does, by its name, in the middle of its answer if it
	 * streams
	 */
	Executions(Consumer<String> work) {
		this(work, (handler) -> false);
	}

	/**
	 * Counts handlers whose work may block.
	 * @param blocking whether that of a handler does now
	 */
	Executions(Consumer<String> work, Predicate<String> blocking) {
		this.work = work;
		this.blocking = blocking;
	}

	/**
	 * Whether the next execution blocks, and must not be on an event loop.
	 */
	boolean blocks(String handler) {
		return this.blocking.test(handler);
	}

	/**
	 * Counts an execution.
	 * @return something that no other execution returns
	 */
	String next(String handler) {
		int count = this.counts.computeIfAbsent(handler, (name) -> new AtomicInteger()).incrementAndGet();
		this.work.accept(handler);
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
