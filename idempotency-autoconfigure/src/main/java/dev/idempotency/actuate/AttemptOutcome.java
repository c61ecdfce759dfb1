package dev.idempotency.actuate;

import java.util.Locale;

import dev.idempotency.Reason;
import dev.idempotency.core.Decision;

/**
 * What an attempt came to, as tags name it.
 */
enum AttemptOutcome {

	EXECUTED, REPLAYED, NOT_REPLAYABLE, IN_PROGRESS, KEY_REUSED, OUTCOME_UNKNOWN, REPLAY_LIMIT, KEY_MISSING,
	KEY_INVALID, BODY_TOO_LARGE, BODY_UNREADABLE, STORE_FAILED, RESULT_UNREADABLE, UNPROTECTED;

	private final String tag = name().toLowerCase(Locale.ROOT);

	String tag() {
		return this.tag;
	}

	static AttemptOutcome of(Decision decision) {
		if (decision instanceof Decision.Proceed) {
			return EXECUTED;
		}
		if (decision instanceof Decision.Replay replay) {
			return replay.result().isTombstone() ? NOT_REPLAYABLE : REPLAYED;
		}
		if (decision instanceof Decision.InProgress) {
			return IN_PROGRESS;
		}
		if (decision instanceof Decision.KeyReused) {
			return KEY_REUSED;
		}
		return (decision instanceof Decision.OutcomeUnknown) ? OUTCOME_UNKNOWN : REPLAY_LIMIT;
	}

	static AttemptOutcome of(Reason reason) {
		return switch (reason) {
			case KEY_MISSING -> KEY_MISSING;
			case KEY_INVALID -> KEY_INVALID;
			case BODY_TOO_LARGE -> BODY_TOO_LARGE;
			case BODY_UNREADABLE -> BODY_UNREADABLE;
			case KEY_REUSED -> KEY_REUSED;
			case IN_PROGRESS -> IN_PROGRESS;
			case OUTCOME_UNKNOWN -> OUTCOME_UNKNOWN;
			case NOT_REPLAYABLE -> NOT_REPLAYABLE;
			case REPLAY_LIMIT -> REPLAY_LIMIT;
			case STORE_UNAVAILABLE -> STORE_FAILED;
			case RESULT_UNREADABLE, RESULT_TOO_LARGE, FAILURE_REPLAYED, DRY_RUN_INVALID, DRY_RUN_UNSUPPORTED ->
				RESULT_UNREADABLE;
		};
	}

}
