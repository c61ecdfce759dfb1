package dev.idempotency.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * How often, how soon and after what a call is made again. Delays grow from one attempt
 * to the next, and each call waits for a random part of its delay, so that calls which
 * failed together do not come back together. What the server asks for
 * ({@code Retry-After}) comes on top.
 *
 * @param attempts how often a call is made at most, the first time included
 * @param firstDelay the longest wait before the second attempt; it doubles each time
 * @param maxDelay what it does not grow beyond
 * @param deadline how long all of it may take, waits included: what would not begin
 * before it is over is not begun
 * @param statuses after which answers a call is made again; a 409 only if it says that
 * the server is still at it
 * @param errors after which errors a call is made again that was not answered
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
	 * Up to 8 attempts in a minute, after 409 (if it says that the server is still at
	 * it), 429, 503 and everything that breaks a connection. A server that uses this
	 * library asks for waits that double: 8 attempts outlast a lease of 30 s.
	 * @return what is done if nothing else is said
	 */
	public static ClientRetry defaults() {
		return DEFAULTS;
	}

	/**
	 * With another number of attempts.
	 * @param attempts how often a call is made at most
	 * @return the same with this
	 */
	public ClientRetry withAttempts(int attempts) {
		return new ClientRetry(attempts, this.firstDelay, this.maxDelay, this.deadline, this.statuses, this.errors);
	}

	/**
	 * With other delays.
	 * @param first the longest wait before the second attempt
	 * @param max what it does not grow beyond
	 * @return the same with this
	 */
	public ClientRetry withDelay(Duration first, Duration max) {
		return new ClientRetry(this.attempts, first, max, this.deadline, this.statuses, this.errors);
	}

	/**
	 * With another deadline.
	 * @param deadline how long all of it may take
	 * @return the same with this
	 */
	public ClientRetry withDeadline(Duration deadline) {
		return new ClientRetry(this.attempts, this.firstDelay, this.maxDelay, deadline, this.statuses, this.errors);
	}

	/**
	 * With other statuses.
	 * @param statuses after which a call is made again
	 * @return the same with this
	 */
	public ClientRetry withStatuses(int... statuses) {
		return new ClientRetry(this.attempts, this.firstDelay, this.maxDelay, this.deadline,
				Arrays.stream(statuses).boxed().collect(Collectors.toSet()), this.errors);
	}

	/**
	 * With other errors.
	 * @param errors after which a call is made again
	 * @return the same with this
	 */
	public ClientRetry withErrors(Predicate<? super IOException> errors) {
		return new ClientRetry(this.attempts, this.firstDelay, this.maxDelay, this.deadline, this.statuses, errors);
	}

}
