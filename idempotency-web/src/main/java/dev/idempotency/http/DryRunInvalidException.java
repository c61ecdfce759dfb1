package dev.idempotency.http;

import dev.idempotency.IdempotencyException;
import dev.idempotency.Reason;

/**
 * The header that requests a dry run is not a boolean.
 */
public final class DryRunInvalidException extends IdempotencyException {

	private static final long serialVersionUID = 1L;

	public DryRunInvalidException() {
		super(Reason.DRY_RUN_INVALID, "The %s header is not a boolean".formatted(DryRunHeader.NAME), null);
	}

}
