package dev.idempotency.http;

import dev.idempotency.IdempotencyException;
import dev.idempotency.Reason;

/**
 * A dry run was asked for, and cannot be had: the store cannot be looked into, or
 * protection is switched off.
 */
public final class DryRunUnsupportedException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	/**
	 * The store cannot tell.
	 * @param cause what it says
	 */
	public DryRunUnsupportedException(UnsupportedOperationException cause) {
		super(Reason.DRY_RUN_UNSUPPORTED, "The store cannot be looked into", cause);
	}

	/**
	 * Protection is switched off.
	 */
	public DryRunUnsupportedException() {
		super(Reason.DRY_RUN_UNSUPPORTED, "Protection is switched off", null);
	}

}
