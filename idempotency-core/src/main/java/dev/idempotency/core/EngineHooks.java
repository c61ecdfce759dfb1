package dev.idempotency.core;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The hooks of an engine. A failing hook does not affect the operation, and an absent one
 * costs nothing.
 *
 * @param listeners receive all events
 * @param observer follows attempts from their beginning to their end
 * @param traces provides the trace that is stored with a claim
 * @param timer measures the store
 */
public record EngineHooks(List<IdempotencyListener> listeners, @Nullable AttemptObserver observer,
		@Nullable TraceSource traces, @Nullable StoreTimer timer) {

	public EngineHooks {
		listeners = List.copyOf(listeners);
	}

}
