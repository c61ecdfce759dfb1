package dev.idempotency.web;

import dev.idempotency.core.Completion;
import dev.idempotency.web.AnswerRecorder.Recorded;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of the settlement of a key.
 *
 * @param answer the response, or {@code null} if it is not recorded
 * @param completion the completion of the key, or {@code null} if it was not completed
 * @param failure what the settlement failed with, if it failed
 */
record SettledAnswer(@Nullable Recorded answer, @Nullable Completion completion, @Nullable Throwable failure) {
}
