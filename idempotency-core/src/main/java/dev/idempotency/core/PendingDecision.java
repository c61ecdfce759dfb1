package dev.idempotency.core;

/**
 * A decision that is yet to come.
 */
public interface PendingDecision {

	/**
	 * Gives up, and blocks nobody. Nobody is told of the decision from now on: a wait
	 * ends, and a key that is claimed all the same is given back. Does nothing if it came
	 * before.
	 */
	void cancel();

}
