package dev.idempotency.call;

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
 * What callers are told when an operation does not run and there is no result for them.
 */
public final class Refusals {

	private Refusals() {
	}

	/**
	 * Translates a decision against running.
	 * @param decision the decision; a replay counts as one of a result that was not kept
	 * @param policy how the operation is protected
	 * @param key the key
	 * @return the exception
	 */
	public static IdempotencyException toException(Decision decision, OperationPolicy policy, IdempotencyKey key) {
		if (decision instanceof Decision.Replay) {
			return new ResultNotReplayableException(
					"%s has run, and its result was not kept, since it was too large, or could not be written and read back"
						.formatted(key));
		}
		if (decision instanceof Decision.InProgress running) {
			return new OperationInProgressException("%s is running".formatted(key), running.retryAfter());
		}
		if (decision instanceof Decision.OutcomeUnknown unknown) {
			return new OutcomeUnknownException(
					"What became of attempt %d of %s is not known".formatted(unknown.attempt(), key),
					unknown.attempt());
		}
		if (decision instanceof Decision.ReplayLimit limit) {
			return new ReplayLimitException("The result of %s was asked for %d times".formatted(key, limit.replays()),
					policy.ttl());
		}
		if (decision instanceof Decision.KeyReused) {
			return new IdempotencyKeyReusedException("The key of %s was used for another request".formatted(key));
		}
		throw new IllegalArgumentException("%s is a decision to run".formatted(decision));
	}

}
