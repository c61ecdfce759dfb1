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
 * How a tool is protected. What its method says wins over this.
 *
 * @param sideEffects what it does; a tool of which nobody has said anything is taken for
 * one that writes
 * @param session whose calls they are, or {@code null} for what the application has set
 * @param ttl how long a result is remembered, or {@code null} for {@code idempotency.ttl}
 * @param onConflict what becomes of a call whose twin is running
 * @param onCrash what becomes of a call that had begun when its process vanished
 * @param readCache how results of reading are kept, or {@code null} if they are not; it
 * means nothing to tools that write
 * @param loopGuard when a model is told to stop, or {@code null} for what the application
 * has set
 * @param dryRun whether tools that write only say what they would do
 * @param effect what a tool that writes does when it runs, which it then tells the model
 * beside its result; {@link Effect#INFERRED} if it tells nothing
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
	 * A tool that runs once for the same arguments in the same session.
	 * @return the options
	 */
	public static ToolOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * These options for tools that do something else.
	 * @param sideEffects what they do
	 * @return the options
	 */
	public ToolOptions withSideEffects(SideEffect... sideEffects) {
		Set<SideEffect> tags = EnumSet.noneOf(SideEffect.class);
		tags.addAll(Arrays.asList(sideEffects));
		return new ToolOptions(tags, this.session, this.ttl, this.onConflict, this.onCrash, this.readCache,
				this.loopGuard, this.dryRun, this.effect);
	}

	/**
	 * These options for other sessions.
	 * @param session whose calls they are
	 * @return the options
	 */
	public ToolOptions withSession(ToolSession session) {
		return new ToolOptions(this.sideEffects, session, this.ttl, this.onConflict, this.onCrash, this.readCache,
				this.loopGuard, this.dryRun, this.effect);
	}

	/**
	 * These options with results that are remembered for another time.
	 * @param ttl how long
	 * @return the options
	 */
	public ToolOptions withTtl(Duration ttl) {
		return new ToolOptions(this.sideEffects, this.session, ttl, this.onConflict, this.onCrash, this.readCache,
				this.loopGuard, this.dryRun, this.effect);
	}

	/**
	 * These options with another answer to a call that is running.
	 * @param onConflict what becomes of its twin
	 * @return the options
	 */
	public ToolOptions withOnConflict(OnConflict onConflict) {
		return new ToolOptions(this.sideEffects, this.session, this.ttl, onConflict, this.onCrash, this.readCache,
				this.loopGuard, this.dryRun, this.effect);
	}

	/**
	 * These options with another answer to a crash.
	 * @param onCrash what becomes of a call that had begun when its process vanished
	 * @return the options
	 */
	public ToolOptions withOnCrash(OnCrash onCrash) {
		return new ToolOptions(this.sideEffects, this.session, this.ttl, this.onConflict, onCrash, this.readCache,
				this.loopGuard, this.dryRun, this.effect);
	}

	/**
	 * These options with results of reading that are kept in memory, for each session on
	 * its own.
	 * @param ttl how long
	 * @param maxSize how many for each tool
	 * @return the options
	 */
	public ToolOptions withReadCache(Duration ttl, long maxSize) {
		return new ToolOptions(this.sideEffects, this.session, this.ttl, this.onConflict, this.onCrash,
				new ReadCache(ttl, maxSize), this.loopGuard, this.dryRun, this.effect);
	}

	/**
	 * These options with another patience with a model that calls the same again and
	 * again.
	 * @param calls how many equal calls a session may make within the window; 0 for any
	 * number
	 * @param window the window
	 * @return the options
	 */
	public ToolOptions withLoopGuard(int calls, Duration window) {
		return new ToolOptions(this.sideEffects, this.session, this.ttl, this.onConflict, this.onCrash, this.readCache,
				new LoopGuard(calls, window), this.dryRun, this.effect);
	}

	/**
	 * These options for tools that are only rehearsed.
	 * @param dryRun whether tools that write only say what they would do
	 * @return the options
	 */
	public ToolOptions withDryRun(boolean dryRun) {
		return new ToolOptions(this.sideEffects, this.session, this.ttl, this.onConflict, this.onCrash, this.readCache,
				this.loopGuard, dryRun, this.effect);
	}

	/**
	 * These options for tools that tell the model what they did.
	 * @param effect what they do when they run, unless they say otherwise while they do
	 * @return the options
	 */
	public ToolOptions withEffect(Effect effect) {
		return new ToolOptions(this.sideEffects, this.session, this.ttl, this.onConflict, this.onCrash, this.readCache,
				this.loopGuard, this.dryRun, effect);
	}

	boolean readsOnly() {
		return this.sideEffects.contains(SideEffect.READ);
	}

	/**
	 * How results of reading are kept.
	 *
	 * @param ttl how long
	 * @param maxSize how many for each tool
	 */
	public record ReadCache(Duration ttl, long maxSize) {

		public ReadCache {
			if (!isPositive(ttl) || maxSize < 1) {
				throw new IllegalArgumentException(
						"What is read is kept for some time and some calls, but they are %s and %d".formatted(ttl,
								maxSize));
			}
		}

	}

	/**
	 * When a model is told to stop.
	 *
	 * @param calls how many equal calls a session may make within the window; 0 for any
	 * number
	 * @param window the window
	 */
	public record LoopGuard(int calls, Duration window) {

		public LoopGuard {
			if (calls < 0 || !isPositive(window)) {
				throw new IllegalArgumentException(
						"Calls are counted up to some number within some time, but they are %d and %s".formatted(calls,
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
