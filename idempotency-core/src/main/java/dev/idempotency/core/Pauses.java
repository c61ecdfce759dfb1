package dev.idempotency.core;

import java.time.Duration;

/**
 * The pauses between two polls of a key in progress: each is longer than the one before.
 */
final class Pauses {

	private static final Duration FIRST = Duration.ofMillis(10);

	private static final Duration LONGEST = Duration.ofMillis(500);

	private Duration next;

	/**
	 * Create pauses.
	 * @param notified whether the store notifies waiters: then polling is only for lost
	 * notifications
	 */
	Pauses(boolean notified) {
		this.next = notified ? LONGEST : FIRST;
	}

	/**
	 * The next pause.
	 * @param limit the longest pause
	 */
	Duration next(Duration limit) {
		Duration pause = (limit.compareTo(this.next) < 0) ? limit : this.next;
		Duration doubled = this.next.multipliedBy(2);
		this.next = (doubled.compareTo(LONGEST) < 0) ? doubled : LONGEST;
		return pause;
	}

}
