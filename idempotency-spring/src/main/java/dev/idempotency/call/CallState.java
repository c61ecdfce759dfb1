package dev.idempotency.call;

import dev.idempotency.core.Decision;
import org.jspecify.annotations.Nullable;

/**
 * The state of a call.
 */
public sealed interface CallState {

	/**
	 * The call holds the key: do the work, and end the call.
	 */
	record Running(RunningCall call) implements CallState {
	}

	/**
	 * The work ran in this call.
	 *
	 * @param value its result
	 */
	record Executed(@Nullable Object value) implements CallState {
	}

	/**
	 * The work ran in an earlier call.
	 *
	 * @param value its result
	 */
	record Replayed(@Nullable Object value) implements CallState {
	}

	/**
	 * The work did not run, or its result does not count, and there is no stored result.
	 *
	 * @param refusal the reason
	 */
	record Refused(Decision.Refused refusal) implements CallState {
	}

}
