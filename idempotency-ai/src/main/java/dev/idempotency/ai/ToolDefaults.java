package dev.idempotency.ai;

import dev.idempotency.ai.ToolOptions.LoopGuard;

/**
 * What holds for tools whose options do not say otherwise.
 *
 * @param session whose calls they are
 * @param loopGuard when a model is told to stop
 */
public record ToolDefaults(ToolSession session, LoopGuard loopGuard) {
}
