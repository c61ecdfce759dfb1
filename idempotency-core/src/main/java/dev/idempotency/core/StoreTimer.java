package dev.idempotency.core;

/**
 * Takes the time of everything the engine asks of the store. A timer that fails changes
 * nothing.
 */
public interface StoreTimer {

	/**
	 * The time, of which only differences mean anything.
	 * @return nanoseconds of a clock that never goes back
	 */
	long nanoTime();

	/**
	 * The store has answered, or failed to.
	 * @param verb what was asked of it
	 * @param nanos how long it took
	 * @param failed whether it failed
	 */
	void asked(StoreVerb verb, long nanos, boolean failed);

}
