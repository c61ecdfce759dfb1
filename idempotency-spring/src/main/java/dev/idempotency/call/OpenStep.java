package dev.idempotency.call;

import dev.idempotency.core.Attempt;

/**
 * A step that is about to be claimed.
 *
 * @param attempt the attempt at it
 * @param format how its result is written and read
 * @param undone to be called if it fails: its operation may try it once more
 */
public record OpenStep(Attempt attempt, ResultFormat format, Runnable undone) {
}
