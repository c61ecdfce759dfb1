package dev.idempotency.web;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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

	private static HttpAnswer asReplay(HttpAnswer stored) {
		Map<String, List<String>> headers = new LinkedHashMap<>(stored.headers());
		headers.put(REPLAYED, List.of("true"));
		headers.put(EffectHeader.NAME, List.of(EffectHeader.NOOP.value()));
		return new HttpAnswer(stored.status(), stored.delivery(), headers, stored.body());
	}

}
