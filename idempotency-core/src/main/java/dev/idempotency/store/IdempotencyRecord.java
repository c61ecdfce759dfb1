package dev.idempotency.store;

import java.time.Duration;

import dev.idempotency.Fingerprint;
import org.jspecify.annotations.Nullable;

/**
 * The record of a key.
 */
public sealed interface IdempotencyRecord {

	/**
	 * The fingerprint of the request.
	 * @return the fingerprint of the first claim
	 */
	Fingerprint fingerprint();

	/**
	 * The number of claims of the key since its record was created.
	 * @return the number of the latest attempt
	 */
	int attempt();

	/**
	 * The trace of the latest attempt.
	 * @return the trace, or {@code null} if there is none
	 */
	@Nullable String trace();

	/**
	 * The key is claimed and not completed.
	 *
	 * @param fingerprint the fingerprint of the first claim
	 * @param attempt the number of the latest attempt
	 * @param age how long ago the key was first claimed
	 * @param leaseLeft how long its claim still holds; zero if its lease has expired and
	 * its outcome is unknown
	 * @param trace the trace of the latest attempt, or {@code null}
	 */
	record InProgress(Fingerprint fingerprint, int attempt, Duration age, Duration leaseLeft,
			@Nullable String trace) implements IdempotencyRecord {

		public InProgress {
			if (age.isNegative()) {
				age = Duration.ZERO;
			}
			if (leaseLeft.isNegative()) {
				leaseLeft = Duration.ZERO;
			}
		}

		/**
		 * A record without a trace.
		 */
		public InProgress(Fingerprint fingerprint, int attempt, Duration age, Duration leaseLeft) {
			this(fingerprint, attempt, age, leaseLeft, null);
		}

		/**
		 * Whether the key is abandoned.
		 * @return whether the lease has expired
		 */
		public boolean isAbandoned() {
			return this.leaseLeft.isZero();
		}

	}

	/**
	 * The key is completed.
	 *
	 * @param fingerprint the fingerprint of the first claim
	 * @param attempt the number of the attempt that completed it
	 * @param replays how often the result was replayed, this time included, if replays
	 * are counted
	 * @param trace the trace of the attempt that completed it, or {@code null}
	 */
	record Completed(Fingerprint fingerprint, int attempt, StoredResult result, long replays,
			@Nullable String trace) implements IdempotencyRecord {

		/**
		 * A record without a trace.
		 */
		public Completed(Fingerprint fingerprint, int attempt, StoredResult result, long replays) {
			this(fingerprint, attempt, result, replays, null);
		}

	}

}
