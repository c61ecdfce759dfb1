package dev.idempotency.store;

import java.time.Duration;
import java.time.Instant;

import dev.idempotency.KeyStatus;
import dev.idempotency.RecordState;
import org.jspecify.annotations.Nullable;

/**
 * A record without its fingerprint and its result, for lists.
 *
 * @param key the parts of its key
 * @param status the status of its key
 * @param leaseLeft how long its claim still holds; zero unless it is in progress
 * @param replays how often its result was replayed, if replays are counted
 * @param size how many bytes its result takes in the store; zero if there is none
 * @param trace the trace of its latest attempt, or {@code null} if there was none
 */
public record RecordSummary(RecordId id, KeyDescription key, KeyStatus status, Duration leaseLeft, long replays,
		long size, @Nullable String trace) {

	public RecordSummary {
		if (leaseLeft.isNegative()) {
			leaseLeft = Duration.ZERO;
		}
	}

	/**
	 * The state of its key.
	 */
	public RecordState state() {
		return this.status.state();
	}

	/**
	 * When the key was first claimed.
	 */
	public Instant created() {
		return this.status.created();
	}

}
