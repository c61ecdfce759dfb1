package dev.idempotency.ai;

import dev.idempotency.IdempotencyException;
import dev.idempotency.Reason;

/**
 * Thrown when a session has called a tool with the same arguments too often. The message
 * is for the model.
 */
public final class ToolLoopException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	private final int calls;

	/**
	 * Create an exception.
	 * @param message what the model is to do instead
	 * @param calls how many calls were allowed
	 */
	public ToolLoopException(String message, int calls) {
		super(Reason.REPLAY_LIMIT, message, null);
		this.calls = calls;
	}

	/**
	 * Returns how many calls were allowed.
	 * @return their number
	 */
	public int calls() {
		return this.calls;
	}

}
