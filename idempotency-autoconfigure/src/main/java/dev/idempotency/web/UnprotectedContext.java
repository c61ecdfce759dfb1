package dev.idempotency.web;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Steps;
import dev.idempotency.call.Calls;

/**
 * What a handler is told that runs only because nothing is enforced.
 */
final class UnprotectedContext implements IdempotencyContext {

	@Override
	public IdempotencyKey key() {
		throw new IllegalStateException("This request has no usable key, and runs only because nothing is enforced");
	}

	@Override
	public int attempt() {
		return 1;
	}

	@Override
	public void effect(Effect effect) {
		// Nobody is told
	}

	@Override
	public void doNotStore() {
		// Nothing is
	}

	@Override
	public Steps steps() {
		return Calls.unprotectedSteps();
	}

}
