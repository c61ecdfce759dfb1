package dev.idempotency.ai;

import dev.idempotency.ai.ToolOptions.LoopGuard;

/**
 * The defaults of tools whose options do not set their own.
 *
 * @param session finds the session of a call
 * @param loopGuard when a model is told to stop
 */
public record ToolDefaults(ToolSession session, LoopGuard loopGuard) {
}
