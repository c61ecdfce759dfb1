package dev.idempotency.web;

import java.util.List;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.call.Refusals;
import dev.idempotency.core.Decision;
import dev.idempotency.core.OperationPolicy;

/**
 * What a client is told when its request does not run.
 */
final class Replies {

	static final String REPLAYED = "Idempotent-Replayed";

	private static final List<String> TRUE = List.of("true");

	private static final List<String> NO_EFFECT = List.of(EffectHeader.NOOP.value());

	private Replies() {
	}

	/**
	 * Translates a decision against running.
	 * @return the answer that was stored
	 * @throws IdempotencyException if there is none
	 */
	static HttpAnswer toAnswer(Decision decision, OperationPolicy policy, IdempotencyKey key) {
		if (decision instanceof Decision.Replay replay && !replay.result().isTombstone()) {
			return asReplay(HttpAnswer.decode(replay.result().payload()));
		}
		throw Refusals.toException(decision, policy, key);
	}

	/**
	 * Adds to an answer that was just read, and is nobody else's.
	 */
	private static HttpAnswer asReplay(HttpAnswer read) {
		read.headers().put(REPLAYED, TRUE);
		read.headers().put(EffectHeader.NAME, NO_EFFECT);
		return read;
	}

}
