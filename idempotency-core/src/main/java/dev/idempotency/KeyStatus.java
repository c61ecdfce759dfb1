package dev.idempotency;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * How far the work under a key has come, and when. The dates are the store's.
 *
 * @param state whether the work has come to its end
 * @param attempt the number of the latest attempt
 * @param created when the key was first claimed
 * @param completed when the work came to its end, or {@code null} if it has not
 * @param expires when it will be forgotten
 */
public record KeyStatus(RecordState state, int attempt, Instant created, @Nullable Instant completed, Instant expires) {
}
