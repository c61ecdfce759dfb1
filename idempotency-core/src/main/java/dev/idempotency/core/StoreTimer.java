package dev.idempotency.core;

/**
 * Measures the engine's calls of the store. A failing timer does not affect the
 * operation.
 */
public interface StoreTimer {

	/**
	 * The current time, for differences only.
	 * @return nanoseconds of a monotonic clock
	 */
	long nanoTime();

	/**
	 * A call of the store has returned or failed.
	 * @param verb the call
	 * @param nanos how long it took
	 * @param failed whether it failed
	 */
	void asked(StoreVerb verb, long nanos, boolean failed);

}
