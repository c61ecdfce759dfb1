package dev.idempotency.call;

import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyKeyExpiredException;
import dev.idempotency.IdempotencyKeyReusedException;
import dev.idempotency.OperationInProgressException;
import dev.idempotency.Outcome;
import dev.idempotency.OutcomeUnknownException;
import dev.idempotency.ReplayDeniedException;
import dev.idempotency.ReplayLimitException;
import dev.idempotency.ResultNotReplayableException;
import dev.idempotency.core.Decision;
import org.jspecify.annotations.Nullable;

/**
 * Translates refusals into exceptions and outcomes.
 */
public final class Refusals {

	private Refusals() {
	}

	/**
	 * The exception for a refusal.
	 */
	public static IdempotencyException toException(Decision.Refused refusal, IdempotencyKey key) {
		return switch (refusal.reason()) {
			case NOT_REPLAYABLE -> new ResultNotReplayableException(
					"%s has run, and its result was not stored: it was too large, or could not be written and read back"
						.formatted(key));
			case IN_PROGRESS -> new OperationInProgressException("%s is running".formatted(key), refusal.retryAfter());
			case OUTCOME_UNKNOWN -> new OutcomeUnknownException(
					"It is unknown whether attempt %d of %s did the work".formatted(refusal.attempt(), key),
					refusal.attempt());
			case REPLAY_LIMIT -> new ReplayLimitException(
					"The result of %s was requested %d times".formatted(key, refusal.replays()), refusal.retryAfter());
			case REPLAY_DENIED ->
				new ReplayDeniedException("The stored result of %s is denied to this caller".formatted(key), null);
			case KEY_EXPIRED -> new IdempotencyKeyExpiredException(
					"Nothing is stored for %s, and its key is too old, or its time is in the future".formatted(key));
			case KEY_REUSED ->
				new IdempotencyKeyReusedException("The key of %s was used for another request".formatted(key));
			case KEY_MISSING, KEY_INVALID, BODY_TOO_LARGE, BODY_UNREADABLE, DRY_RUN_INVALID, DRY_RUN_UNSUPPORTED,
					RESULT_UNREADABLE, RESULT_TOO_LARGE, FAILURE_REPLAYED, STORE_UNAVAILABLE ->
				throw notDecided(refusal);
		};
	}

	/**
	 * The outcome for a refusal.
	 */
	static <T extends @Nullable Object> Outcome<T> toOutcome(Decision.Refused refusal) {
		return switch (refusal.reason()) {
			case NOT_REPLAYABLE -> new Outcome.NotReplayable<>();
			case IN_PROGRESS -> new Outcome.InProgress<>(refusal.retryAfter());
			case OUTCOME_UNKNOWN -> new Outcome.OutcomeUnknown<>(refusal.attempt());
			case REPLAY_LIMIT -> new Outcome.ReplayLimit<>(refusal.replays());
			case KEY_REUSED -> new Outcome.KeyReused<>();
			// Only requests are denied a result
			case REPLAY_DENIED, KEY_MISSING, KEY_INVALID, KEY_EXPIRED, BODY_TOO_LARGE, BODY_UNREADABLE, DRY_RUN_INVALID,
					DRY_RUN_UNSUPPORTED, RESULT_UNREADABLE, RESULT_TOO_LARGE, FAILURE_REPLAYED, STORE_UNAVAILABLE ->
				throw notDecided(refusal);
		};
	}

	private static IllegalArgumentException notDecided(Decision.Refused refusal) {
		return new IllegalArgumentException("The engine does not decide %s".formatted(refusal.reason()));
	}

}
