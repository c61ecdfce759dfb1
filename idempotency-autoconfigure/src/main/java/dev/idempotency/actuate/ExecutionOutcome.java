package dev.idempotency.actuate;

import java.util.Locale;

import dev.idempotency.core.Completion;
import dev.idempotency.core.IdempotencyEvent;
import org.jspecify.annotations.Nullable;

/**
 * What became of an execution, as tags name it.
 */
enum ExecutionOutcome {

	STORED, STORED_WITHOUT_RESULT, RELEASED, NOT_RELEASED, SUPERSEDED, FAILED, ROLLED_BACK, ABANDONED, UNPROTECTED;

	private final String tag = name().toLowerCase(Locale.ROOT);

	String tag() {
		return this.tag;
	}

	/**
	 * What an event says about the end of an execution.
	 * @return {@code null} if it says nothing about it
	 */
	static @Nullable ExecutionOutcome of(IdempotencyEvent event) {
		if (event instanceof IdempotencyEvent.Finished finished) {
			return of(finished.completion());
		}
		if (event instanceof IdempotencyEvent.Released) {
			return RELEASED;
		}
		if (event instanceof IdempotencyEvent.NotReleased) {
			return NOT_RELEASED;
		}
		return (event instanceof IdempotencyEvent.Abandoned) ? ABANDONED : null;
	}

	private static ExecutionOutcome of(Completion completion) {
		if (completion instanceof Completion.Stored stored) {
			return stored.withPayload() ? STORED : STORED_WITHOUT_RESULT;
		}
		if (completion instanceof Completion.Superseded) {
			return SUPERSEDED;
		}
		if (completion instanceof Completion.RolledBack) {
			return ROLLED_BACK;
		}
		return (completion instanceof Completion.Failed) ? FAILED : UNPROTECTED;
	}

}
