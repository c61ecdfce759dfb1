package dev.idempotency.core;

import java.time.Duration;

/**
 * How long whoever waits for a key rests between two looks at it: each time a little
 * longer.
 */
final class Pauses {

	private static final Duration FIRST = Duration.ofMillis(10);

	private static final Duration LONGEST = Duration.ofMillis(500);

	private Duration next;

	/**
	 * Create pauses.
	 * @param notified whether the store tells when to look: then looking again is only
	 * for the signal that got lost
	 */
	Pauses(boolean notified) {
		this.next = notified ? LONGEST : FIRST;
	}

	/**
	 * The next pause.
	 * @param limit what it must not exceed
	 */
	Duration next(Duration limit) {
		Duration pause = (limit.compareTo(this.next) < 0) ? limit : this.next;
		Duration doubled = this.next.multipliedBy(2);
		this.next = (doubled.compareTo(LONGEST) < 0) ? doubled : LONGEST;
		return pause;
	}

}
