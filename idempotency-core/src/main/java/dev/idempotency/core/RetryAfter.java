package dev.idempotency.core;

import java.time.Duration;

import dev.idempotency.store.IdempotencyRecord;

/**
 * When whoever met a running twin is to ask again.
 * <p>
 * After as long again as the twin has run: most operations take less than a second, and
 * whoever asks doubles the wait each time. At least a second, and never past the lease,
 * where the key may be free: its executor may have vanished.
 */
final class RetryAfter {

	private static final Duration FIRST = Duration.ofSeconds(1);

	private RetryAfter() {
	}

	/**
	 * When to ask again after a record was met.
	 * @param running the record
	 * @param lease how long claims of the operation hold
	 * @return zero if the key is free
	 */
	static Duration of(IdempotencyRecord.InProgress running, Duration lease) {
		return least(most(FIRST, age(running, lease)), running.leaseLeft());
	}

	/**
	 * When to ask again after someone else has just taken the key.
	 * @param lease how long claims of the operation hold
	 */
	static Duration ofFresh(Duration lease) {
		return least(FIRST, lease);
	}

	/**
	 * A record does not tell when it was taken over. But a lease that has not been
	 * renewed tells how long ago the latest claim was made at least.
	 */
	private static Duration age(IdempotencyRecord.InProgress running, Duration lease) {
		return (running.attempt() == 1) ? running.age() : least(running.age(), lease.minus(running.leaseLeft()));
	}

	private static Duration least(Duration one, Duration other) {
		return (one.compareTo(other) <= 0) ? one : other;
	}

	private static Duration most(Duration one, Duration other) {
		return (one.compareTo(other) >= 0) ? one : other;
	}

}
