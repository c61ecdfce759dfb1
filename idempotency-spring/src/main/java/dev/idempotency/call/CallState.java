package dev.idempotency.call;

import dev.idempotency.core.Decision;
import org.jspecify.annotations.Nullable;

/**
 * How far a call has come.
 */
public sealed interface CallState {

	/**
	 * It has the key: do the work, and end the call.
	 *
	 * @param call the call
	 */
	record Running(RunningCall call) implements CallState {
	}

	/**
	 * The work ran now.
	 *
	 * @param value what came of it
	 */
	record Executed(@Nullable Object value) implements CallState {
	}

	/**
	 * The work had run before.
	 *
	 * @param value what came of it then
	 */
	record Replayed(@Nullable Object value) implements CallState {
	}

	/**
	 * The work did not run, or does not count, and there is no result.
	 *
	 * @param refusal why
	 */
	record Refused(Decision.Refused refusal) implements CallState {
	}

}
