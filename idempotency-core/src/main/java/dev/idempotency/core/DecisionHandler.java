package dev.idempotency.core;

/**
 * Receives the decision about an attempt: one of its methods is called once. It must not
 * fail.
 */
public interface DecisionHandler {

	/**
	 * The engine has decided.
	 */
	void decided(Decision decision);

	/**
	 * The engine could not decide.
	 * @param failure the exception that {@link IdempotencyEngine#begin(Attempt)} would
	 * throw
	 */
	void failed(Throwable failure);

}
