package dev.idempotency.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The retry policy of a client: how often, how soon and after what a call is made again.
 * Delays grow from one attempt to the next. Each call waits for a random part of its
 * delay, so that calls that failed together are not retried together. The wait that the
 * server requests ({@code Retry-After}) is added.
 *
 * @param attempts how often a call is made at most, the first time included
 * @param firstDelay the longest wait before the second attempt; it doubles each time
 * @param maxDelay the upper limit of that wait
 * @param deadline how long all attempts may take, waits included. An attempt that would
 * begin later is not made
 * @param statuses the statuses after which a call is made again; a 409 counts only if it
 * says that the first request is in progress
 * @param errors the errors after which a call without a response is made again
 */
public record ClientRetry(int attempts, Duration firstDelay, Duration maxDelay, Duration deadline,
		Set<Integer> statuses, Predicate<? super IOException> errors) {

	private static final int UNPROCESSABLE = 422;

	private static final ClientRetry DEFAULTS = new ClientRetry(8, Duration.ofMillis(200), Duration.ofSeconds(5),
			Duration.ofMinutes(1), Set.of(409, 429, 503), (error) -> true);

	public ClientRetry {
		if (attempts < 1) {
			throw new IllegalArgumentException("A call is made at least once, not %d times".formatted(attempts));
		}
		if (firstDelay.isNegative() || firstDelay.toMillis() < 1 || maxDelay.compareTo(firstDelay) < 0) {
			throw new IllegalArgumentException(
					"The first delay is at least 1ms, and the longest at least as long, but they are %s and %s"
						.formatted(firstDelay, maxDelay));
		}
		if (deadline.isNegative() || deadline.toMillis() < 1) {
			throw new IllegalArgumentException("The deadline is at least 1ms, but is " + deadline);
		}
		statuses = Set.copyOf(statuses);
		if (statuses.stream().anyMatch((status) -> status < 400 || status > 599 || status == UNPROCESSABLE)) {
			throw new IllegalArgumentException(
					"A call is made again after errors from 400 to 599, and never after a 422, which says that the request has changed");
		}
	}

	/**
	 * Up to 8 attempts in a minute, after 409 (if it says that the first request is in
	 * progress), 429, 503 and every connection failure. A server that uses this library
	 * requests waits that double: 8 attempts outlast a lease of 30 s.
	 */
	public static ClientRetry defaults() {
		return DEFAULTS;
	}

	/**
	 * A copy with another number of attempts.
	 * @param attempts how often a call is made at most
	 */
	public ClientRetry withAttempts(int attempts) {
		return new ClientRetry(attempts, this.firstDelay, this.maxDelay, this.deadline, this.statuses, this.errors);
	}

	/**
	 * A copy with other delays.
	 * @param first the longest wait before the second attempt
	 * @param max the upper limit of that wait
	 */
	public ClientRetry withDelay(Duration first, Duration max) {
		return new ClientRetry(this.attempts, first, max, this.deadline, this.statuses, this.errors);
	}

	/**
	 * A copy with another deadline.
	 * @param deadline how long all attempts may take, waits included
	 */
	public ClientRetry withDeadline(Duration deadline) {
		return new ClientRetry(this.attempts, this.firstDelay, this.maxDelay, deadline, this.statuses, this.errors);
	}

	/**
	 * A copy with other statuses.
	 * @param statuses the statuses after which a call is made again
	 */
	public ClientRetry withStatuses(int... statuses) {
		return new ClientRetry(this.attempts, this.firstDelay, this.maxDelay, this.deadline,
				Arrays.stream(statuses).boxed().collect(Collectors.toSet()), this.errors);
	}

	/**
	 * A copy with other errors.
	 * @param errors the errors after which a call is made again
	 */
	public ClientRetry withErrors(Predicate<? super IOException> errors) {
		return new ClientRetry(this.attempts, this.firstDelay, this.maxDelay, this.deadline, this.statuses, errors);
	}

}
