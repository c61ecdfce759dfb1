package dev.idempotency.http;

import dev.idempotency.IdempotencyException;
import dev.idempotency.Reason;

/**
 * A dry run was requested, but is not possible: the store cannot be inspected, or
 * protection is switched off.
 */
public final class DryRunUnsupportedException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	/**
	 * The store cannot be inspected.
	 * @param cause the failure of the store
	 */
	public DryRunUnsupportedException(UnsupportedOperationException cause) {
		super(Reason.DRY_RUN_UNSUPPORTED, "The store cannot be inspected", cause);
	}

	/**
	 * Protection is switched off.
	 */
	public DryRunUnsupportedException() {
		super(Reason.DRY_RUN_UNSUPPORTED, "Protection is switched off", null);
	}

}
