package dev.idempotency.actuate;

import java.time.Instant;

import dev.idempotency.RecordState;
import dev.idempotency.core.AnswerReader.Answer;
import dev.idempotency.store.RecordSummary;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * A record as operators see it. What a client sent is masked unless they may see it. Of
 * the stored response, only its status and size are shown.
 *
 * @param id its id, in full
 * @param hash its id as in logs
 * @param operation what its key protects
 * @param principal the caller
 * @param state the state of its operation
 * @param attempt the number of the latest attempt
 * @param leaseLeftMillis what is left of its lease, while it is in progress
 * @param created when it was first claimed
 * @param completed when it was completed
 * @param expires when its ttl ends
 * @param replays how often it was replayed, or {@code null} where that is not counted
 * @param storedBytes the size of its result in the store
 * @param trace the trace of the latest attempt
 * @param answer the status and size of its HTTP response, if the request was for a single
 * record
 * @param transactional whether its operation is transactional, so that what an abandoned
 * attempt wrote to the database was rolled back; {@code null} if the application does not
 * know the operation
 */
public record RecordView(String id, String hash, String operation, String key, @Nullable String principal,
		@Nullable String tenant, RecordState state, int attempt, @Nullable Long leaseLeftMillis, Instant created,
		@Nullable Instant completed, Instant expires, @Nullable Long replays, long storedBytes, @Nullable String trace,
		@Nullable Answer answer, @Nullable Boolean transactional) implements OperationResponseBody {

	private static final int HASH_LENGTH = 12;

	private static final int MOST_SHOWN = 8;

	static RecordView of(RecordSummary record, @Nullable Answer answer, boolean whole, @Nullable Boolean transactional,
			boolean countsReplays) {
		Long replays = (countsReplays || record.replays() > 0) ? record.replays() : null;
		Long leaseLeft = (record.state() == RecordState.IN_PROGRESS) ? record.leaseLeft().toMillis() : null;
		return new RecordView(record.id().value(), record.id().value().substring(0, HASH_LENGTH),
				record.key().operation(), whole ? record.key().key() : masked(record.key().key()),
				maskedUnless(whole, record.key().principal()), maskedUnless(whole, record.key().tenant()),
				record.state(), record.status().attempt(), leaseLeft, record.created(), record.status().completed(),
				record.status().expires(), replays, record.size(), record.trace(), answer, transactional);
	}

	private static @Nullable String maskedUnless(boolean whole, @Nullable String text) {
		return (whole || text == null) ? text : masked(text);
	}

	/**
	 * Shows enough to recognize a known value.
	 */
	private static String masked(String text) {
		int shown = Math.min(MOST_SHOWN, text.codePointCount(0, text.length()) / 3);
		return text.substring(0, text.offsetByCodePoints(0, shown)) + "\u2026";
	}

}
