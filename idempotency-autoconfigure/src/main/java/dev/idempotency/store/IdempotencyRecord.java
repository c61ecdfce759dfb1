package dev.idempotency.store;

import java.time.Duration;

import dev.idempotency.Fingerprint;

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
	 * The operation has been claimed and has not come to an end.
	 *
	 * @param fingerprint what the operation was asked to do
	 * @param attempt the number of the latest attempt
	 * @param leaseLeft how long its claim still holds; zero when its lease is over and
	 * its outcome unknown
	 */
	record InProgress(Fingerprint fingerprint, int attempt, Duration leaseLeft) implements IdempotencyRecord {

		public InProgress {
			if (leaseLeft.isNegative()) {
				leaseLeft = Duration.ZERO;
			}
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
	 */
	record Completed(Fingerprint fingerprint, int attempt, StoredResult result,
			long replays) implements IdempotencyRecord {
	}

}
