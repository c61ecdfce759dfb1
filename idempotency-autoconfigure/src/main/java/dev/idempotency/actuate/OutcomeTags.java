package dev.idempotency.actuate;

import dev.idempotency.Reason;
import dev.idempotency.core.Completion;
import dev.idempotency.core.Decision;
import dev.idempotency.core.IdempotencyEvent;
import org.jspecify.annotations.Nullable;

/**
 * The names of outcomes of attempts and executions, as used in tags.
 */
final class OutcomeTags {

	/**
	 * An attempt runs without protection.
	 */
	static final String UNPROTECTED = "unprotected";

	private OutcomeTags() {
	}

	/**
	 * The outcome of an attempt.
	 * @param answer the replay or refusal, or {@code null} if it runs
	 */
	static String ofAttempt(Decision.@Nullable Answer answer) {
		if (answer == null) {
			return "executed";
		}
		Reason reason = answer.reason();
		return (reason != null) ? ofRefusal(reason) : "replayed";
	}

	/**
	 * The outcome of an attempt that did not run, or has no result.
	 */
	static String ofRefusal(Reason reason) {
		return switch (reason) {
			case KEY_MISSING -> "key_missing";
			case KEY_INVALID -> "key_invalid";
			case KEY_EXPIRED -> "key_expired";
			case BODY_TOO_LARGE -> "body_too_large";
			case BODY_UNREADABLE -> "body_unreadable";
			case KEY_REUSED -> "key_reused";
			case IN_PROGRESS -> "in_progress";
			case OUTCOME_UNKNOWN -> "outcome_unknown";
			case NOT_REPLAYABLE -> "not_replayable";
			case REPLAY_LIMIT -> "replay_limit";
			case REPLAY_DENIED -> "replay_denied";
			case STORE_UNAVAILABLE -> "store_failed";
			case RESULT_UNREADABLE, RESULT_TOO_LARGE, FAILURE_REPLAYED, DRY_RUN_INVALID, DRY_RUN_UNSUPPORTED ->
				"result_unreadable";
		};
	}

	/**
	 * The outcome of an execution.
	 * @return {@code null} if the event is not about the end of an execution
	 */
	static @Nullable String ofExecution(IdempotencyEvent event) {
		if (event instanceof IdempotencyEvent.Finished finished) {
			return ofCompletion(finished.completion());
		}
		if (event instanceof IdempotencyEvent.Released) {
			return "released";
		}
		if (event instanceof IdempotencyEvent.OutcomeUnknown) {
			return "reported_unknown";
		}
		if (event instanceof IdempotencyEvent.NotReleased) {
			return "not_released";
		}
		return (event instanceof IdempotencyEvent.Abandoned) ? "abandoned" : null;
	}

	private static String ofCompletion(Completion completion) {
		return switch (completion.kind()) {
			case STORED -> "stored";
			case STORED_WITHOUT_RESULT -> "stored_without_result";
			case SUPERSEDED -> "superseded";
			case RELEASED -> "released";
			case ROLLED_BACK -> "rolled_back";
			case UNKNOWN -> "unknown";
			case FAILED -> "failed";
			case JOINED, UNPROTECTED -> UNPROTECTED;
		};
	}

}
