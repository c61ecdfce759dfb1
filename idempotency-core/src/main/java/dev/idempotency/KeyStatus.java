package dev.idempotency;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The status of a key. Its times are the store's.
 *
 * @param state the state of the key
 * @param attempt the number of the latest attempt
 * @param created when the key was first claimed
 * @param completed when the key was completed, or {@code null} if it was not
 * @param expires when the record expires
 */
public record KeyStatus(RecordState state, int attempt, Instant created, @Nullable Instant completed, Instant expires) {
}
