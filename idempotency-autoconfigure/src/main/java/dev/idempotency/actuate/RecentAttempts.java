package dev.idempotency.actuate;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.LongStream;

import dev.idempotency.Reason;
import dev.idempotency.core.Decision;
import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.core.IdempotencyListener;
import org.jspecify.annotations.Nullable;

/**
 * The attempts on this instance in the last minutes, counted in slices of a few seconds.
 * The memory that it needs is bounded.
 */
public final class RecentAttempts implements IdempotencyListener {

	static final Duration SLICE = Duration.ofSeconds(5);

	static final int SLICES = 120;

	private final Clock clock;

	private final AtomicReferenceArray<@Nullable Slice> slices = new AtomicReferenceArray<>(SLICES);

	/**
	 * Create without any attempts.
	 * @param clock determines the current slice
	 */
	public RecentAttempts(Clock clock) {
		this.clock = clock;
	}

	@Override
	public void onEvent(IdempotencyEvent event) {
		if (event instanceof IdempotencyEvent.Decided decided) {
			counterOf(decided.answer(), currentSlice()).increment();
		}
		else if (event instanceof IdempotencyEvent.Rejected rejected) {
			counterOf(rejected.reason(), currentSlice()).increment();
		}
	}

	private static LongAdder counterOf(Decision.@Nullable Answer answer, Slice slice) {
		if (answer == null) {
			return slice.executed;
		}
		Reason reason = answer.reason();
		return (reason != null) ? counterOf(reason, slice) : slice.replayed;
	}

	private static LongAdder counterOf(Reason reason, Slice slice) {
		return switch (reason) {
			case NOT_REPLAYABLE -> slice.replayed;
			case IN_PROGRESS, OUTCOME_UNKNOWN -> slice.conflicted;
			case KEY_MISSING, KEY_INVALID, KEY_EXPIRED, BODY_TOO_LARGE, BODY_UNREADABLE, DRY_RUN_INVALID,
					DRY_RUN_UNSUPPORTED, KEY_REUSED, REPLAY_LIMIT, REPLAY_DENIED, RESULT_UNREADABLE, RESULT_TOO_LARGE,
					FAILURE_REPLAYED, STORE_UNAVAILABLE ->
				slice.refused;
		};
	}

	private Slice currentSlice() {
		long number = currentNumber();
		int place = placeOf(number);
		while (true) {
			Slice slice = this.slices.get(place);
			if (slice != null && slice.number >= number) {
				return slice;
			}
			Slice fresh = new Slice(number);
			if (this.slices.compareAndSet(place, slice, fresh)) {
				return fresh;
			}
		}
	}

	private long currentNumber() {
		return this.clock.millis() / SLICE.toMillis();
	}

	private static int placeOf(long number) {
		return (int) (number % SLICES);
	}

	/**
	 * Returns the counts, the oldest slice first; the last slice has not ended yet.
	 */
	Series series() {
		long first = currentNumber() - SLICES + 1;
		return new Series(Instant.ofEpochMilli(first * SLICE.toMillis()), SLICE.toSeconds(),
				series(first, (slice) -> slice.executed), series(first, (slice) -> slice.replayed),
				series(first, (slice) -> slice.conflicted), series(first, (slice) -> slice.refused));
	}

	private List<Long> series(long first, Function<Slice, LongAdder> counter) {
		return LongStream.range(first, first + SLICES).mapToObj((number) -> {
			Slice slice = this.slices.get(placeOf(number));
			return (slice != null && slice.number == number) ? counter.apply(slice).sum() : 0L;
		}).toList();
	}

	private static final class Slice {

		private final long number;

		private final LongAdder executed = new LongAdder();

		private final LongAdder replayed = new LongAdder();

		private final LongAdder conflicted = new LongAdder();

		private final LongAdder refused = new LongAdder();

		private Slice(long number) {
			this.number = number;
		}

	}

	/**
	 * Numbers of attempts by outcome, one for each slice.
	 *
	 * @param since when the first slice began
	 * @param seconds how long a slice lasts
	 * @param executed ran
	 * @param replayed were answered with a stored result
	 * @param conflicted found the operation in progress, or its outcome unknown
	 * @param refused were refused: without a key, with an invalid or reused key, beyond
	 * the limit of replays, or because a replay was denied
	 */
	public record Series(Instant since, long seconds, List<Long> executed, List<Long> replayed, List<Long> conflicted,
			List<Long> refused) {
	}

}
