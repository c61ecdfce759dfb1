package dev.idempotency.call;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyKeys;
import dev.idempotency.Steps;
import org.jspecify.annotations.Nullable;

/**
 * The context of an operation that runs without protection. Steps run each time, and
 * nothing is stored.
 */
public class UnprotectedContext implements IdempotencyContext {

	private final IdempotencyKey key;

	/**
	 * The operation that this one is a part of.
	 */
	private final @Nullable IdempotencyContext enclosing = IdempotencyContext.find().orElse(null);

	/**
	 * Create a context.
	 * @param key the key of the operation, or a generated one
	 */
	public UnprotectedContext(IdempotencyKey key) {
		this.key = key;
	}

	/**
	 * Generates a key for one run of an operation that has none.
	 */
	public static IdempotencyKey randomKey(String operation) {
		try {
			return IdempotencyKey.of(operation, IdempotencyKeys.random());
		}
		catch (IllegalArgumentException ex) {
			// The name is not valid in a key
			return IdempotencyKey.of("unprotected", IdempotencyKeys.random());
		}
	}

	@Override
	public IdempotencyKey key() {
		return this.key;
	}

	@Override
	public int attempt() {
		return 1;
	}

	@Override
	public void effect(Effect effect) {
		if (this.enclosing != null) {
			this.enclosing.effect(effect);
		}
	}

	@Override
	public void doNotStore() {
		// Nothing is stored
	}

	@Override
	public void outcomeUnknown() {
		// There is no next attempt
	}

	@Override
	public Steps steps() {
		return new UnprotectedSteps(this);
	}

}
