package dev.idempotency.ai;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyContext;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.Steps;
import dev.idempotency.call.Calls;
import org.jspecify.annotations.Nullable;

/**
 * What a tool knows and says while it runs. Around a call that is remembered there is one
 * too, which hears what the call's own context is told of its effect.
 */
final class ToolCallContext implements IdempotencyContext {

	private final IdempotencyKey key;

	/**
	 * The operation that the agent itself is a part of.
	 */
	private final @Nullable IdempotencyContext enclosing = IdempotencyContext.find().orElse(null);

	private volatile @Nullable Effect effect;

	private volatile boolean keptBack;

	ToolCallContext(IdempotencyKey key) {
		this.key = key;
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
		this.effect = effect;
		if (this.enclosing != null) {
			this.enclosing.effect(effect);
		}
	}

	@Override
	public void doNotStore() {
		this.keptBack = true;
	}

	@Override
	public Steps steps() {
		return Calls.unprotectedSteps(this);
	}

	/**
	 * What the tool has said that it did.
	 */
	Effect effectOr(Effect otherwise) {
		Effect said = this.effect;
		return (said != null && said != Effect.INFERRED) ? said : otherwise;
	}

	boolean mayBeKept() {
		return !this.keptBack;
	}

}
