package dev.idempotency.ai;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.OnCrash;
import dev.idempotency.ai.ToolOptions.LoopGuard;
import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.call.Calls;
import dev.idempotency.call.IdempotencyTemplate;
import dev.idempotency.call.ResultCodec;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.NamedOperations;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.store.ClaimTerms;
import dev.idempotency.store.IdempotencyStore;
import dev.idempotency.store.OnReplay;
import dev.idempotency.store.memory.InMemoryIdempotencyStore;
import dev.idempotency.store.memory.MemoryLimits;
import dev.idempotency.test.MovableClock;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.ai.chat.model.ToolContext;

/**
 * Tools without Spring: an engine on a store in memory whose clock can be moved.
 */
final class ToolFixture {

	static final Duration LEASE = Duration.ofSeconds(30);

	static final Duration TTL = Duration.ofHours(24);

	static final LoopGuard NO_GUARD = new LoopGuard(0, Duration.ofMinutes(10));

	final MovableClock clock = new MovableClock(Instant.parse("2026-01-01T00:00:00Z"));

	final InMemoryIdempotencyStore store = new InMemoryIdempotencyStore(new MemoryLimits(10_000, 1 << 20), this.clock,
			(key) -> {
			});

	/**
	 * The tools of a process that has just been started.
	 */
	IdempotentTools tools() {
		return tools(this.store, this.clock);
	}

	static IdempotentTools tools(IdempotencyStore store, Clock clock) {
		IdempotencyEngine engine = new IdempotencyEngine(store, EngineSettings.of("shop"), clock, List.of());
		// Renews no lease, since the clock is the test's
		engine.close();
		OperationPolicy policy = OperationPolicy.of(TTL, LEASE);
		Duration waitTimeout = Duration.ofMillis(50);
		return new IdempotentTools(
				new IdempotencyTemplate(new Calls(engine, new ResultCodec(JsonMapper.builder().build()), clock), policy,
						waitTimeout, NamedOperations.none()),
				new AnnotationPolicies(policy, waitTimeout, UnaryOperator.identity(), NamedOperations.none()),
				new ToolDefaults(ToolSession.ofEntry(ToolSession.DEFAULT_ENTRY), NO_GUARD), clock);
	}

	static ToolContext session(String id) {
		return new ToolContext(Map.of(ToolSession.DEFAULT_ENTRY, id));
	}

	/**
	 * Claims the key of a call as another process would.
	 */
	void claimElsewhere(String tool, String session, String input) {
		IdempotencyKey key = ToolCallKey.of(session, input).toIdempotencyKey(tool);
		this.store.claim(key.within("shop"), Fingerprint.none(),
				new ClaimTerms(LEASE, TTL, OnCrash.RETRY, OnReplay.READ));
	}

}
