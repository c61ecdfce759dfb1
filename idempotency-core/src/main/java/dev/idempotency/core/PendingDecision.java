package dev.idempotency.core;

/**
 * A decision that is pending.
 */
public interface PendingDecision {

	/**
	 * Cancels the attempt without blocking. The handler does not receive a decision any
	 * more: a wait ends, and a key that is claimed nevertheless is released. Does nothing
	 * if the decision was already delivered.
	 */
	void cancel();

}
