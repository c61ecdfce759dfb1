package dev.idempotency.ai;

import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.idempotency.Effect;
import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyContext.Binding;
import dev.idempotency.IdempotencyException;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.IdempotencyKeyMissingException;
import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.KeyStatus;
import dev.idempotency.OperationInProgressException;
import dev.idempotency.Outcome;
import dev.idempotency.OutcomeUnknownException;
import dev.idempotency.RecordState;
import dev.idempotency.ResultNotReplayableException;
import dev.idempotency.call.UnprotectedContext;
import org.jspecify.annotations.Nullable;

import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.execution.ToolExecutionException;

/**
 * Protects the calls of one tool, and caches what a tool that reads returned.
 */
final class ProtectedTool implements GuardedTool {

	private static final ToolContext NO_CONTEXT = new ToolContext(Map.of());

	private final String name;

	private final ToolOptions options;

	private final ToolSession session;

	private final Idempotency idempotency;

	private final RepeatedCalls repeated;

	/**
	 * Results of reading, per session.
	 */
	private final @Nullable Cache<IdempotencyKey, String> read;

	ProtectedTool(String name, ToolOptions options, ToolDefaults defaults, Idempotency idempotency, Clock clock) {
		this.name = name;
		this.options = options;
		this.session = (options.session() != null) ? options.session() : defaults.session();
		this.idempotency = onTerms(idempotency, options);
		this.repeated = new RepeatedCalls((options.loopGuard() != null) ? options.loopGuard() : defaults.loopGuard(),
				clock);
		ToolOptions.ReadCache readCache = options.readsOnly() ? options.readCache() : null;
		this.read = (readCache == null) ? null
				: Caffeine.newBuilder()
					.maximumSize(readCache.maxSize())
					.expireAfterWrite(readCache.ttl())
					.ticker(() -> TimeUnit.MILLISECONDS.toNanos(clock.millis()))
					.build();
	}

	private static Idempotency onTerms(Idempotency idempotency, ToolOptions options) {
		Idempotency terms = idempotency.withOnConflict(options.onConflict()).withOnCrash(options.onCrash());
		return (options.ttl() != null) ? terms.withTtl(options.ttl()) : terms;
	}

	boolean runsOnce() {
		return !this.options.readsOnly();
	}

	@Override
	public String call(ToolCallback tool, String input, @Nullable ToolContext given) {
		ToolContext context = (given != null) ? given : NO_CONTEXT;
		String id = this.session.idOf(context);
		if (id == null || id.isBlank()) {
			if (this.options.readsOnly()) {
				// Changes nothing, and its result is not cached
				return run(tool, input, given);
			}
			throw new IdempotencyKeyMissingException(
					("The tool %s runs once in each session, and this call has none: %s is empty. Set it where the chat client is called, "
							+ "such as with toolContext(Map.of(\"%s\", …)), or give the tool another ToolSession")
						.formatted(this.name, this.session, ToolSession.DEFAULT_ENTRY));
		}
		IdempotencyKey key = ToolCallKey.of(id, input).toIdempotencyKey(this.name);
		if (!this.options.readsOnly() && ToolDryRun.isAskedFor(tool, this.options, given)) {
			RecordState state = this.idempotency.find(key).map(KeyStatus::state).orElse(null);
			return ToolReports.ofDryRun(this.name, state, this.options.onCrash());
		}
		if (this.repeated.isTooMany(key)) {
			int allowed = this.repeated.allowed();
			throw refusal(tool, new ToolLoopException(ToolReports.loop(this.name, allowed), allowed));
		}
		ToolCallContext current = new ToolCallContext(key);
		try (Binding binding = current.makeCurrent()) {
			Objects.requireNonNull(binding);
			return this.options.readsOnly() ? read(tool, input, given, key, current)
					: runOnce(tool, input, given, key, current);
		}
	}

	private String read(ToolCallback tool, String input, @Nullable ToolContext given, IdempotencyKey key,
			ToolCallContext current) {
		String known = (this.read != null) ? this.read.getIfPresent(key) : null;
		if (known != null) {
			return known;
		}
		String result = run(tool, input, given);
		if (this.read != null && current.mayBeKept()) {
			this.read.put(key, result);
		}
		return result;
	}

	private String runOnce(ToolCallback tool, String input, @Nullable ToolContext given, IdempotencyKey key,
			ToolCallContext current) {
		AtomicBoolean begun = new AtomicBoolean();
		try {
			Outcome<String> outcome = this.idempotency.attempt(key, String.class, () -> {
				begun.set(true);
				return run(tool, input, given);
			});
			if (outcome instanceof Outcome.Executed<String> executed) {
				return answer(executed.value(), current.effectOr(this.options.effect()));
			}
			if (outcome instanceof Outcome.Replayed<String> replayed) {
				return answer(replayed.value(), null);
			}
			throw refusal(tool, refused(outcome));
		}
		catch (IdempotencyException ex) {
			if (begun.get()) {
				// Thrown by the tool itself
				throw ex;
			}
			throw refusal(tool, explained(ex));
		}
		catch (RuntimeException ex) {
			throw begun.get() ? explained(tool, key, ex) : ex;
		}
	}

	/**
	 * What the model is told of a tool that failed. Only the engine knows whether its
	 * outcome is unknown.
	 */
	private RuntimeException explained(ToolCallback tool, IdempotencyKey key, RuntimeException failure) {
		try {
			if (this.idempotency.find(key).map(KeyStatus::state).orElse(null) == RecordState.REPORTED_UNKNOWN) {
				return new ToolExecutionException(tool.getToolDefinition(),
						new IllegalStateException(ToolReports.failedWithoutOutcome(this.name), failure));
			}
		}
		catch (IdempotencyStoreException | UnsupportedOperationException ex) {
			failure.addSuppressed(ex);
		}
		return failure;
	}

	private IdempotencyException explained(IdempotencyException ex) {
		if (ex instanceof IdempotencyStoreException) {
			return new IdempotencyStoreException(ToolReports.notRemembered(this.name), ex);
		}
		IdempotencyException unreadable = new ResultNotReplayableException(ToolReports.notReplayable(this.name));
		unreadable.addSuppressed(ex);
		return unreadable;
	}

	/**
	 * A tool that reports its effect does so each time.
	 */
	private String answer(String result, @Nullable Effect effect) {
		return (this.options.effect() != Effect.INFERRED) ? ToolReports.withEffect(result, effect) : result;
	}

	private IdempotencyException refused(Outcome<String> outcome) {
		return switch (Objects.requireNonNull(outcome.reason(), "there is no value")) {
			case IN_PROGRESS -> {
				Duration retryAfter = ((Outcome.InProgress<String>) outcome).retryAfter();
				yield new OperationInProgressException(
						ToolReports.inProgress(this.name, retryAfter.plusMillis(999).toSeconds()), retryAfter);
			}
			case OUTCOME_UNKNOWN -> new OutcomeUnknownException(ToolReports.outcomeUnknown(this.name),
					((Outcome.OutcomeUnknown<String>) outcome).attempt());
			case REPLAY_LIMIT -> {
				int replays = Math.toIntExact(((Outcome.ReplayLimit<String>) outcome).replays());
				yield new ToolLoopException(ToolReports.loop(this.name, replays), replays);
			}
			case NOT_REPLAYABLE, REPLAY_DENIED, KEY_REUSED, KEY_MISSING, KEY_INVALID, KEY_EXPIRED, BODY_TOO_LARGE,
					BODY_UNREADABLE, DRY_RUN_INVALID, DRY_RUN_UNSUPPORTED, RESULT_UNREADABLE, RESULT_TOO_LARGE,
					FAILURE_REPLAYED, STORE_UNAVAILABLE ->
				new ResultNotReplayableException(ToolReports.notReplayable(this.name));
		};
	}

	/**
	 * Spring AI turns this into a text for the model, and MCP into an error result.
	 */
	private static ToolExecutionException refusal(ToolCallback tool, IdempotencyException reason) {
		return new ToolExecutionException(tool.getToolDefinition(), reason);
	}

	static String run(ToolCallback tool, String input, @Nullable ToolContext given) {
		return (given != null) ? tool.call(input, given) : tool.call(input);
	}

	/**
	 * The context of a tool call. A call that runs once has a context of its own inside
	 * this one, which passes its effect on.
	 */
	private static final class ToolCallContext extends UnprotectedContext {

		private volatile @Nullable Effect effect;

		private volatile boolean keptBack;

		private ToolCallContext(IdempotencyKey key) {
			super(key);
		}

		@Override
		public void effect(Effect effect) {
			this.effect = effect;
			super.effect(effect);
		}

		@Override
		public void doNotStore() {
			this.keptBack = true;
		}

		/**
		 * Returns the effect that the tool has reported.
		 */
		Effect effectOr(Effect otherwise) {
			Effect said = this.effect;
			return (said != null && said != Effect.INFERRED) ? said : otherwise;
		}

		boolean mayBeKept() {
			return !this.keptBack;
		}

	}

}
