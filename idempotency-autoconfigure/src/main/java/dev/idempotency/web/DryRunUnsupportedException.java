package dev.idempotency.web;

import dev.idempotency.IdempotencyException;

/**
 * A dry run was asked for, and the store cannot be looked into.
 */
public final class DryRunUnsupportedException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	DryRunUnsupportedException(UnsupportedOperationException cause) {
		super("The store cannot be looked into", cause);
	}

}
