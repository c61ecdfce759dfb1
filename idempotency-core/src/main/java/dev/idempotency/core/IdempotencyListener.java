package dev.idempotency.core;

/**
 * Receives the events of the engine. A failing listener does not affect the operation.
 */
@FunctionalInterface
public interface IdempotencyListener {

	/**
	 * Receives an event, on the operation's own thread or on the one that renews leases:
	 * it must be quick.
	 */
	void onEvent(IdempotencyEvent event);

}
