package dev.idempotency.web;

import dev.idempotency.IdempotencyException;

/**
 * A dry run was asked for, and cannot be had: the store cannot be looked into, or
 * protection is switched off.
 */
public final class DryRunUnsupportedException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	DryRunUnsupportedException(UnsupportedOperationException cause) {
		super("The store cannot be looked into", cause);
	}

	DryRunUnsupportedException() {
		super("Protection is switched off", null);
	}

}
