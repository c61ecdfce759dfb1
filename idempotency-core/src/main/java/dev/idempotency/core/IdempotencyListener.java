package dev.idempotency.core;

/**
 * Hears of everything the engine does. A listener that fails changes nothing.
 */
@FunctionalInterface
public interface IdempotencyListener {

	/**
	 * Something happened. Called on the operation's own thread, or on the one that renews
	 * leases: it must be quick.
	 * @param event what happened
	 */
	void onEvent(IdempotencyEvent event);

}
