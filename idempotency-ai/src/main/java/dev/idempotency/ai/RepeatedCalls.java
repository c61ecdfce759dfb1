package dev.idempotency.ai;

import java.time.Clock;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.ai.ToolOptions.LoopGuard;

/**
 * Detects a model that calls a tool with the same arguments again and again.
 */
final class RepeatedCalls {

	/**
	 * How many calls are tracked at most; the least recent ones are dropped.
	 */
	private static final int MAX_WATCHED = 10_000;

	private final LoopGuard guard;

	private final Clock clock;

	/**
	 * The recent times of each call, the oldest first.
	 */
	private final Cache<IdempotencyKey, long[]> times;

	RepeatedCalls(LoopGuard guard, Clock clock) {
		this.guard = guard;
		this.clock = clock;
		this.times = Caffeine.newBuilder()
			.maximumSize(MAX_WATCHED)
			.expireAfterAccess(guard.window())
			.ticker(() -> TimeUnit.MILLISECONDS.toNanos(clock.millis()))
			.build();
	}

	/**
	 * Counts a call that is about to be made.
	 * @return whether it is one too many
	 */
	boolean isTooMany(IdempotencyKey call) {
		if (!this.guard.isOn()) {
			return false;
		}
		AtomicBoolean tooMany = new AtomicBoolean();
		long now = this.clock.millis();
		this.times.asMap().compute(call, (key, earlier) -> {
			long[] made = (earlier != null) ? earlier : new long[0];
			boolean full = made.length == this.guard.calls();
			tooMany.set(full && now - made[0] < this.guard.window().toMillis());
			long[] next = full ? Arrays.copyOfRange(made, 1, made.length + 1) : Arrays.copyOf(made, made.length + 1);
			next[next.length - 1] = now;
			return next;
		});
		return tooMany.get();
	}

	int allowed() {
		return this.guard.calls();
	}

}
