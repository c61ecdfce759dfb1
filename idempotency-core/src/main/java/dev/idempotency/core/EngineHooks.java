package dev.idempotency.core;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Those who watch an engine at work. None of them can do harm, and what is absent costs
 * nothing.
 *
 * @param listeners hear of everything that happens
 * @param observer follows attempts from their beginning to their end
 * @param traces knows the trace that a claim is remembered with
 * @param timer takes the time of the store
 */
public record EngineHooks(List<IdempotencyListener> listeners, @Nullable AttemptObserver observer,
		@Nullable TraceSource traces, @Nullable StoreTimer timer) {

	public EngineHooks {
		listeners = List.copyOf(listeners);
	}

}
