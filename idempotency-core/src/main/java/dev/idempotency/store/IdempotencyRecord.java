package dev.idempotency.store;

import java.time.Duration;

import dev.idempotency.Fingerprint;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered under a key.
 */
public sealed interface IdempotencyRecord {

	/**
	 * What the operation was asked to do.
	 * @return the fingerprint of the first claim
	 */
	Fingerprint fingerprint();

	/**
	 * How often the key was claimed without coming to an end.
	 * @return the number of the latest attempt
	 */
	int attempt();

	/**
	 * Where to look for what the latest attempt did.
	 * @return its trace, or {@code null} if it worked in none
	 */
	@Nullable String trace();

	/**
	 * The operation has been claimed and has not come to an end.
	 *
	 * @param fingerprint what the operation was asked to do
	 * @param attempt the number of the latest attempt
	 * @param age how long ago the key was first claimed
	 * @param leaseLeft how long its claim still holds; zero when its lease is over and
	 * its outcome unknown
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
		 * A record whose latest attempt worked in no trace.
		 */
		public InProgress(Fingerprint fingerprint, int attempt, Duration age, Duration leaseLeft) {
			this(fingerprint, attempt, age, leaseLeft, null);
		}

		/**
		 * Whether the executor vanished.
		 * @return whether the lease is over
		 */
		public boolean isAbandoned() {
			return this.leaseLeft.isZero();
		}

	}

	/**
	 * The operation has come to an end.
	 *
	 * @param fingerprint what the operation was asked to do
	 * @param attempt the number of the attempt that completed it
	 * @param result what came of it
	 * @param replays how often the result was given out again, this time included, as far
	 * as replays are counted
	 * @param trace the trace of the attempt that completed it, or {@code null}
	 */
	record Completed(Fingerprint fingerprint, int attempt, StoredResult result, long replays,
			@Nullable String trace) implements IdempotencyRecord {

		/**
		 * A record that was completed in no trace.
		 */
		public Completed(Fingerprint fingerprint, int attempt, StoredResult result, long replays) {
			this(fingerprint, attempt, result, replays, null);
		}

	}

}
