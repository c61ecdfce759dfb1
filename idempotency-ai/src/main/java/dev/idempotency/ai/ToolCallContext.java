package dev.idempotency.ai;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.call.UnprotectedContext;
import org.jspecify.annotations.Nullable;

/**
 * The context of a tool call. A call that runs once has a context of its own inside this
 * one, which passes its effect on.
 */
final class ToolCallContext extends UnprotectedContext {

	private volatile @Nullable Effect effect;

	private volatile boolean keptBack;

	ToolCallContext(IdempotencyKey key) {
		super(key);
	}

	@Override
	public void effect(Effect effect) {
		this.effect = effect;
		super.effect(effect);
	}

	@Override
	public void doNotStore() {
		this.keptBack = true;
	}

	/**
	 * Returns the effect that the tool has reported.
	 */
	Effect effectOr(Effect otherwise) {
		Effect said = this.effect;
		return (said != null && said != Effect.INFERRED) ? said : otherwise;
	}

	boolean mayBeKept() {
		return !this.keptBack;
	}

}
