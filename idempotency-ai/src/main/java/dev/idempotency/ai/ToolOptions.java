package dev.idempotency.ai;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

import dev.idempotency.Effect;
import dev.idempotency.OnConflict;
import dev.idempotency.OnCrash;
import org.jspecify.annotations.Nullable;

/**
 * How a tool is protected. Annotations of its method override these options.
 *
 * @param sideEffects its side effects; a tool without any is treated as one that writes
 * @param session finds the session of a call, or {@code null} for the default
 * @param ttl how long a result is remembered, or {@code null} for {@code idempotency.ttl}
 * @param onConflict what happens to a call while the same call is in progress
 * @param onCrash what happens to a call after a crash of the same call
 * @param readCache how results of reading are cached, or {@code null} if they are not;
 * tools that write ignore it
 * @param loopGuard when a model is told to stop, or {@code null} for the default
 * @param dryRun whether tools that write only report what they would do
 * @param effect the effect of a tool that writes, which the model gets beside the result;
 * {@link Effect#INFERRED} to report none
 */
public record ToolOptions(Set<SideEffect> sideEffects, @Nullable ToolSession session, @Nullable Duration ttl,
		OnConflict onConflict, OnCrash onCrash, @Nullable ReadCache readCache, @Nullable LoopGuard loopGuard,
		boolean dryRun, Effect effect) {

	private static final ToolOptions DEFAULTS = new ToolOptions(Set.of(), null, null, OnConflict.REJECT, OnCrash.RETRY,
			null, null, false, Effect.INFERRED);

	public ToolOptions {
		sideEffects = Set.copyOf(sideEffects);
		Objects.requireNonNull(onConflict, "onConflict must not be null");
		Objects.requireNonNull(onCrash, "onCrash must not be null");
		Objects.requireNonNull(effect, "effect must not be null");
		if (sideEffects.contains(SideEffect.READ)
				&& (sideEffects.contains(SideEffect.WRITE) || sideEffects.contains(SideEffect.DESTRUCTIVE))) {
			throw new IllegalArgumentException(
					"A tool that reads neither writes nor destroys, but its tags are %s".formatted(sideEffects));
		}
	}

	/**
	 * Returns the default options: a tool runs once for the same arguments in the same
	 * session.
	 */
	public static ToolOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * Returns these options with other side effects.
	 */
	public ToolOptions withSideEffects(SideEffect... sideEffects) {
		Set<SideEffect> tags = EnumSet.noneOf(SideEffect.class);
		tags.addAll(Arrays.asList(sideEffects));
		return new ToolOptions(tags, this.session, this.ttl, this.onConflict, this.onCrash, this.readCache,
				this.loopGuard, this.dryRun, this.effect);
	}

	/**
	 * Returns these options with another session.
	 * @param session finds the session of a call
	 */
	public ToolOptions withSession(ToolSession session) {
		return new ToolOptions(this.sideEffects, session, this.ttl, this.onConflict, this.onCrash, this.readCache,
				this.loopGuard, this.dryRun, this.effect);
	}

	/**
	 * Returns these options with another ttl.
	 * @param ttl how long
	 */
	public ToolOptions withTtl(Duration ttl) {
		return new ToolOptions(this.sideEffects, this.session, ttl, this.onConflict, this.onCrash, this.readCache,
				this.loopGuard, this.dryRun, this.effect);
	}

	/**
	 * Returns these options with another reaction to a call in progress.
	 * @param onConflict what happens to a call while the same call is in progress
	 */
	public ToolOptions withOnConflict(OnConflict onConflict) {
		return new ToolOptions(this.sideEffects, this.session, this.ttl, onConflict, this.onCrash, this.readCache,
				this.loopGuard, this.dryRun, this.effect);
	}

	/**
	 * Returns these options with another reaction to a crash.
	 * @param onCrash what happens to a call after a crash of the same call
	 */
	public ToolOptions withOnCrash(OnCrash onCrash) {
		return new ToolOptions(this.sideEffects, this.session, this.ttl, this.onConflict, onCrash, this.readCache,
				this.loopGuard, this.dryRun, this.effect);
	}

	/**
	 * Returns these options with results of reading that are cached in memory, per
	 * session.
	 * @param ttl how long
	 * @param maxSize how many for each tool
	 */
	public ToolOptions withReadCache(Duration ttl, long maxSize) {
		return new ToolOptions(this.sideEffects, this.session, this.ttl, this.onConflict, this.onCrash,
				new ReadCache(ttl, maxSize), this.loopGuard, this.dryRun, this.effect);
	}

	/**
	 * Returns these options with another limit of equal calls.
	 * @param calls how many equal calls a session may make within the window; 0 for any
	 * number
	 */
	public ToolOptions withLoopGuard(int calls, Duration window) {
		return new ToolOptions(this.sideEffects, this.session, this.ttl, this.onConflict, this.onCrash, this.readCache,
				new LoopGuard(calls, window), this.dryRun, this.effect);
	}

	/**
	 * Returns these options with dry runs switched on or off.
	 * @param dryRun whether tools that write only report what they would do
	 */
	public ToolOptions withDryRun(boolean dryRun) {
		return new ToolOptions(this.sideEffects, this.session, this.ttl, this.onConflict, this.onCrash, this.readCache,
				this.loopGuard, dryRun, this.effect);
	}

	/**
	 * Returns these options for tools that report their effect to the model.
	 * @param effect the effect of a run, unless the tool reports another one while it
	 * runs
	 */
	public ToolOptions withEffect(Effect effect) {
		return new ToolOptions(this.sideEffects, this.session, this.ttl, this.onConflict, this.onCrash, this.readCache,
				this.loopGuard, this.dryRun, effect);
	}

	boolean readsOnly() {
		return this.sideEffects.contains(SideEffect.READ);
	}

	/**
	 * How results of reading are cached.
	 *
	 * @param ttl how long
	 * @param maxSize how many for each tool
	 */
	public record ReadCache(Duration ttl, long maxSize) {

		public ReadCache {
			if (!isPositive(ttl) || maxSize < 1) {
				throw new IllegalArgumentException(
						"A read cache needs a positive ttl and a positive size, but they are %s and %d".formatted(ttl,
								maxSize));
			}
		}

	}

	/**
	 * When a model is told to stop.
	 *
	 * @param calls how many equal calls a session may make within the window; 0 for any
	 * number
	 */
	public record LoopGuard(int calls, Duration window) {

		public LoopGuard {
			if (calls < 0 || !isPositive(window)) {
				throw new IllegalArgumentException(
						"A loop guard needs a limit and a positive window, but they are %d and %s".formatted(calls,
								window));
			}
		}

		boolean isOn() {
			return this.calls > 0;
		}

	}

	private static boolean isPositive(Duration duration) {
		return !duration.isNegative() && !duration.isZero();
	}

}
