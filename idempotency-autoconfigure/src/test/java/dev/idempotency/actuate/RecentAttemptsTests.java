package dev.idempotency.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.Reason;
import dev.idempotency.core.Decision;
import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.test.MovableClock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an instance did is counted in slices, and forgotten in time.
 */
class RecentAttemptsTests {

	private final MovableClock clock = new MovableClock(Instant.EPOCH.plus(Duration.ofDays(1)));

	private final RecentAttempts recent = new RecentAttempts(this.clock);

	private void decided(Decision.Answer answer) {
		this.recent.onEvent(new IdempotencyEvent.Decided(IdempotencyKey.of("pay", "1"), 0, answer, true));
	}

	private static long sum(List<Long> numbers) {
		return numbers.stream().mapToLong(Long::longValue).sum();
	}

	@Test
	void countsEachKind() {
		decided(Decision.Refused.notReplayable(null));
		decided(Decision.Refused.inProgress(Duration.ofSeconds(1), null));
		decided(Decision.Refused.outcomeUnknown(1, null));
		decided(Decision.Refused.keyReused());
		decided(Decision.Refused.replayLimit(3, Duration.ofHours(1)));
		decided(Decision.Refused.replayDenied(null));
		this.recent.onEvent(new IdempotencyEvent.Rejected("pay", Reason.KEY_MISSING, true));
		RecentAttempts.Series series = this.recent.series();
		assertThat(sum(series.executed())).isZero();
		assertThat(sum(series.replayed())).isEqualTo(1);
		assertThat(sum(series.conflicted())).isEqualTo(2);
		assertThat(sum(series.refused())).isEqualTo(4);
	}

	@Test
	void movesOnWithTime() {
		decided(Decision.Refused.keyReused());
		assertThat(this.recent.series().refused()).last().isEqualTo(1L);
		this.clock.advance(RecentAttempts.SLICE);
		decided(Decision.Refused.keyReused());
		decided(Decision.Refused.keyReused());
		assertThat(this.recent.series().refused()).endsWith(1L, 2L);
		this.clock.advance(RecentAttempts.SLICE.multipliedBy(RecentAttempts.SLICES - 1));
		assertThat(this.recent.series().refused()).startsWith(2L, 0L);
		this.clock.advance(RecentAttempts.SLICE);
		assertThat(sum(this.recent.series().refused())).isZero();
		decided(Decision.Refused.keyReused());
		assertThat(this.recent.series().refused()).last().isEqualTo(1L);
	}

	@Test
	void losesNothingWhenManyCountAtOnce() {
		CompletableFuture
			.allOf(IntStream.range(0, 8)
				.mapToObj((thread) -> CompletableFuture
					.runAsync(() -> IntStream.range(0, 1000).forEach((i) -> decided(Decision.Refused.keyReused()))))
				.toArray(CompletableFuture[]::new))
			.join();
		assertThat(sum(this.recent.series().refused())).isEqualTo(8000);
	}

}
