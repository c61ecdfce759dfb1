package dev.idempotency.web;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyKeyReusedException;
import dev.idempotency.OperationInProgressException;
import dev.idempotency.OutcomeUnknownException;
import dev.idempotency.ReplayLimitException;
import dev.idempotency.ResultNotReplayableException;
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
		if (decision instanceof Decision.Replay replay) {
			if (replay.result().isTombstone()) {
				throw new ResultNotReplayableException("%s has run, and its answer was not kept".formatted(key));
			}
			return asReplay(HttpAnswer.decode(replay.result().payload()));
		}
		if (decision instanceof Decision.InProgress running) {
			throw new OperationInProgressException("%s is running".formatted(key), running.retryAfter());
		}
		if (decision instanceof Decision.OutcomeUnknown unknown) {
			throw new OutcomeUnknownException(
					"What became of attempt %d of %s is not known".formatted(unknown.attempt(), key),
					unknown.attempt());
		}
		if (decision instanceof Decision.ReplayLimit limit) {
			throw new ReplayLimitException("The answer of %s was asked for %d times".formatted(key, limit.replays()),
					policy.ttl());
		}
		if (decision instanceof Decision.KeyReused) {
			throw new IdempotencyKeyReusedException("The key of %s was used for another request".formatted(key));
		}
		throw new IllegalArgumentException("%s is a decision to run".formatted(decision));
	}

	private static HttpAnswer asReplay(HttpAnswer stored) {
		Map<String, List<String>> headers = new LinkedHashMap<>(stored.headers());
		headers.put(REPLAYED, List.of("true"));
		headers.put(EffectHeader.NAME, List.of(EffectHeader.NOOP.value()));
		return new HttpAnswer(stored.status(), stored.delivery(), headers, stored.body());
	}

}
