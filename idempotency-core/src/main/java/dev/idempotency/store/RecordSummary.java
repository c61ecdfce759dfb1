package dev.idempotency.store;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A record for people to look at, without what it remembers.
 *
 * @param id its name
 * @param key the parts of its key
 * @param state how far its operation has come
 * @param attempt the number of the latest attempt
 * @param leaseLeft how long its claim still holds; zero unless it is in progress
 * @param times when it was claimed and completed and when it goes
 * @param replays how often its result was given out again, as far as replays are counted
 * @param size how many bytes its result takes in the store; zero if there is none
 * @param trace the trace of its latest attempt, or {@code null} if there was none
 */
public record RecordSummary(RecordId id, KeyDescription key, RecordState state, int attempt, Duration leaseLeft,
		Times times, long replays, long size, @Nullable String trace) {

	public RecordSummary {
		if (leaseLeft.isNegative()) {
			leaseLeft = Duration.ZERO;
		}
	}

	/**
	 * When the key was first claimed.
	 * @return the store's time
	 */
	public Instant created() {
		return this.times.created();
	}

	/**
	 * The dates of a record, which are the store's.
	 *
	 * @param created when the key was first claimed
	 * @param completed when it was completed, or {@code null} if it is not
	 * @param expires when it will be forgotten
	 */
	public record Times(Instant created, @Nullable Instant completed, Instant expires) {
	}

}
