package dev.idempotency.call;

import dev.idempotency.core.Attempt;

/**
 * A step that is about to be claimed.
 *
 * @param format how its result is written and read
 * @param undone called if it fails, so that its operation may try it again
 */
public record OpenStep(Attempt attempt, ResultFormat format, Runnable undone) {
}
