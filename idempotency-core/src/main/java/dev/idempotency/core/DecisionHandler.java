package dev.idempotency.core;

/**
 * Is told what is to be done about an attempt, once, by one of its methods. It must not
 * fail.
 */
public interface DecisionHandler {

	/**
	 * The engine has decided.
	 * @param decision what is to be done
	 */
	void decided(Decision decision);

	/**
	 * The engine could not decide.
	 * @param failure what {@link IdempotencyEngine#begin(Attempt)} would throw
	 */
	void failed(Throwable failure);

}
