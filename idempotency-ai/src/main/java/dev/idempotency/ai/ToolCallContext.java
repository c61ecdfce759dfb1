package dev.idempotency.ai;

import dev.idempotency.Effect;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.call.UnprotectedContext;
import org.jspecify.annotations.Nullable;

/**
 * What a tool knows and says while it runs. Around a call that is remembered there is one
 * too, which hears what the call's own context is told of its effect.
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
