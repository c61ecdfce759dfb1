package dev.idempotency.http;

import java.util.List;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.call.Refusals;
import dev.idempotency.core.Decision;
import dev.idempotency.core.OperationPolicy;

/**
 * The answer of a request that has run before.
 */
public final class ReplayedAnswer {

	static final String HEADER = "Idempotent-Replayed";

	private static final List<String> TRUE = List.of("true");

	private static final List<String> NO_EFFECT = List.of(EffectHeader.NOOP.value());

	private ReplayedAnswer() {
	}

	/**
	 * Translates a decision against running.
	 * @param decision the decision
	 * @param policy how the operation is protected
	 * @param key the key
	 * @return the answer that was stored
	 * @throws IdempotencyException if there is none
	 */
	public static HttpAnswer of(Decision decision, OperationPolicy policy, IdempotencyKey key) {
		if (decision instanceof Decision.Replay replay && !replay.result().isTombstone()) {
			return asReplay(HttpAnswer.decode(replay.result().payload()));
		}
		throw Refusals.toException(decision, policy, key);
	}

	/**
	 * Adds to an answer that was just read, and is nobody else's.
	 */
	private static HttpAnswer asReplay(HttpAnswer read) {
		read.headers().put(HEADER, TRUE);
		read.headers().put(EffectHeader.NAME, NO_EFFECT);
		return read;
	}

}
