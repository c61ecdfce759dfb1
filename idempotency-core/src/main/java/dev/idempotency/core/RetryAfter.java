package dev.idempotency.core;

import java.time.Duration;

import dev.idempotency.store.IdempotencyRecord;

/**
 * When an attempt that was refused because of a key in progress should try again.
 * <p>
 * After as long as the operation has run so far, so that the wait doubles with each
 * attempt. At least a second, since most operations take less, and never past the lease:
 * if the owner has crashed, the key is free then.
 */
final class RetryAfter {

	private static final Duration FIRST = Duration.ofSeconds(1);

	private RetryAfter() {
	}

	/**
	 * When to try again after a claim was refused.
	 * @param running the record of the key in progress
	 * @param lease how long claims of the operation hold
	 * @return how long to wait; zero if the key is free
	 */
	static Duration of(IdempotencyRecord.InProgress running, Duration lease) {
		return least(most(FIRST, age(running, lease)), running.leaseLeft());
	}

	/**
	 * When to try again after another attempt has just claimed the key.
	 * @param lease how long claims of the operation hold
	 */
	static Duration ofFresh(Duration lease) {
		return least(FIRST, lease);
	}

	/**
	 * A record does not tell when it was taken over. But the lease tells how long ago it
	 * was claimed or renewed, which bounds the age of the latest claim from below.
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
