package dev.idempotency.call;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyKeys;
import dev.idempotency.Steps;
import org.jspecify.annotations.Nullable;

/**
 * What an operation is told that runs without protection. It passes everything through:
 * steps run each time, and nothing is stored.
 */
public class UnprotectedContext implements IdempotencyContext {

	private final IdempotencyKey key;

	/**
	 * The operation that this one is a part of.
	 */
	private final @Nullable IdempotencyContext enclosing = IdempotencyContext.find().orElse(null);

	/**
	 * Create a context.
	 * @param key the key that the operation has, or one that is made up for it
	 */
	public UnprotectedContext(IdempotencyKey key) {
		this.key = key;
	}

	/**
	 * Makes up a key for an operation that has none, for this one time.
	 */
	public static IdempotencyKey randomKey(String operation) {
		try {
			return IdempotencyKey.of(operation, IdempotencyKeys.random());
		}
		catch (IllegalArgumentException ex) {
			// A name that no key can have
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
		// Nothing is
	}

	@Override
	public Steps steps() {
		return new UnprotectedSteps(this);
	}

}
