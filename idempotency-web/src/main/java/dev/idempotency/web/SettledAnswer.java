package dev.idempotency.web;

import dev.idempotency.core.Completion;
import dev.idempotency.web.AnswerRecorder.Recorded;
import org.jspecify.annotations.Nullable;

/**
 * What has been decided about an answer.
 *
 * @param answer the answer, or {@code null} if nobody has seen it yet
 * @param completion what became of the key, or {@code null} if it was given back
 * @param failure what kept us from deciding, or from doing it
 */
record SettledAnswer(@Nullable Recorded answer, @Nullable Completion completion, @Nullable Throwable failure) {
}
