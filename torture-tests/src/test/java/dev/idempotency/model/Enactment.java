package dev.idempotency.model;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import dev.idempotency.Fingerprint;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Completion.Kind;
import dev.idempotency.core.Decision;
import dev.idempotency.core.EngineSettings;
import dev.idempotency.core.Execution;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.OperationPolicy;
import dev.idempotency.store.MonotonicClock;
import dev.idempotency.test.StoreUnderTest;

/**
 * Takes the steps of a script with engines on a store: one engine for each instance, and
 * the clock of the second one is half an hour ahead.
 */
final class Enactment implements AutoCloseable {

	private static final Duration TTL = Duration.ofHours(1);

	/**
	 * Two ticks: enough for some round trips, and short enough to wait for.
	 */
	private static final Duration EXPIRING = Duration.ofMillis(300);

	private static final Duration TICK = Duration.ofMillis(200);

	/**
	 * For leases that no step lets expire, however slow the machine is.
	 */
	private static final Duration LASTING = Duration.ofMinutes(5);

	private final Script script;

	private final StoreUnderTest test;

	private final IdempotencyKey key = IdempotencyKey.of("model", UUID.randomUUID().toString());

	private final Map<String, IdempotencyEngine> engines = new HashMap<>();

	private final Map<String, Execution> executions = new HashMap<>();

	Enactment(Script script, StoreUnderTest test) {
		this.script = script;
		this.test = test;
		for (String instance : script.instances().values()) {
			Clock clock = this.engines.isEmpty() ? new MonotonicClock()
					: Clock.offset(new MonotonicClock(), Duration.ofMinutes(30));
			this.engines.computeIfAbsent(instance,
					(missing) -> new IdempotencyEngine(test.store(), EngineSettings.of("shop"), clock, List.of()));
		}
	}

	/**
	 * Takes a step.
	 * @return whether it came out as in the model with the mistake: a claim that is
	 * granted, a result that is stored
	 */
	boolean take(String step) {
		String action = step.replaceAll("\\[.*", "");
		String actor = step.replaceAll(".*\\[|\\]", "");
		return switch (action) {
			case "claim", "takeover" -> begin(actor);
			case "complete" -> {
				Kind kind = execution(actor).complete(actor.getBytes(StandardCharsets.UTF_8)).kind();
				yield kind == Kind.STORED;
			}
			case "release" -> {
				execution(actor).close();
				yield true;
			}
			case "abandon" -> {
				execution(actor).outcomeIsUnknown();
				execution(actor).close();
				yield true;
			}
			case "stall" -> {
				this.executions.forEach((attempt, execution) -> {
					if (actor.equals(this.script.instances().get(attempt))) {
						execution.letLeaseRunOut();
					}
				});
				yield true;
			}
			case "resume" -> true;
			case "advance" -> {
				this.test.time().pass(TICK);
				yield true;
			}
			default -> throw new IllegalArgumentException(step);
		};
	}

	private Execution execution(String attempt) {
		Execution execution = this.executions.get(attempt);
		if (execution == null) {
			throw new IllegalStateException(attempt + " has not begun");
		}
		return execution;
	}

	private boolean begin(String attempt) {
		boolean expires = this.executions.isEmpty() && this.script.steps().contains("advance");
		IdempotencyEngine engine = this.engines.get(this.script.instances().get(attempt));
		if (engine == null) {
			throw new IllegalStateException("Nobody knows where " + attempt + " is");
		}
		Decision decision = engine
			.begin(new Attempt(this.key, Fingerprint.none(), OperationPolicy.of(TTL, expires ? EXPIRING : LASTING)));
		if (decision instanceof Decision.Proceed proceed) {
			this.executions.put(attempt, proceed.execution());
			return true;
		}
		return false;
	}

	@Override
	public void close() {
		this.executions.values().forEach(Execution::close);
		this.engines.values().forEach(IdempotencyEngine::close);
	}

}
