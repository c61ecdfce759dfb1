package dev.idempotency.actuate;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.core.IdempotencyListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Counts what the engine does: {@code idempotency.attempts},
 * {@code idempotency.executions} and {@code idempotency.claims.lost}. The number of
 * operations that have a tag of their own is limited.
 */
public final class IdempotencyMeters implements IdempotencyListener {

	/**
	 * How many operations have a tag of their own, unless another number is given.
	 */
	public static final int MAX_OPERATIONS = 200;

	private final MeterRegistry registry;

	private final BoundedOperations<OperationMeters> operations;

	/**
	 * Create the meters.
	 * @param registry keeps them
	 */
	public IdempotencyMeters(MeterRegistry registry) {
		this(registry, MAX_OPERATIONS);
	}

	/**
	 * Create the meters with another limit.
	 * @param registry keeps them
	 * @param maxOperations how many operations have a tag of their own; all others are
	 * tagged {@code other}
	 */
	public IdempotencyMeters(MeterRegistry registry, int maxOperations) {
		this.registry = registry;
		this.operations = new BoundedOperations<>(maxOperations, OperationMeters::new);
	}

	@Override
	public void onEvent(IdempotencyEvent event) {
		if (event instanceof IdempotencyEvent.Decided decided) {
			of(event).attempt(AttemptOutcome.of(decided.decision()), decided.enforced());
		}
		else if (event instanceof IdempotencyEvent.Rejected rejected) {
			of(event).attempt(AttemptOutcome.of(rejected.reason()), rejected.enforced());
		}
		else if (event instanceof IdempotencyEvent.Undecided undecided) {
			of(event).attempt(AttemptOutcome.of(undecided.cause()), true);
		}
		else if (event instanceof IdempotencyEvent.RanUnprotected) {
			of(event).attempt(AttemptOutcome.UNPROTECTED, true);
		}
		else if (event instanceof IdempotencyEvent.ClaimLost) {
			of(event).claimLost();
		}
		else {
			ExecutionOutcome outcome = ExecutionOutcome.of(event);
			if (outcome != null) {
				of(event).execution(outcome);
			}
		}
	}

	private OperationMeters of(IdempotencyEvent event) {
		return this.operations.get(event.operation());
	}

	/**
	 * The meters of one operation, each of which is looked up once.
	 */
	private final class OperationMeters {

		private final String operation;

		private final Map<AttemptOutcome, Counter> attempts = new ConcurrentHashMap<>();

		private final Map<AttemptOutcome, Counter> observedAttempts = new ConcurrentHashMap<>();

		private final Map<ExecutionOutcome, Counter> executions = new ConcurrentHashMap<>();

		private volatile @Nullable Counter claimsLost;

		private OperationMeters(String operation) {
			this.operation = operation;
		}

		private void attempt(AttemptOutcome outcome, boolean enforced) {
			Map<AttemptOutcome, Counter> counters = enforced ? this.attempts : this.observedAttempts;
			Counter counter = counters.get(outcome);
			if (counter == null) {
				counter = counters.computeIfAbsent(outcome,
						(key) -> Counter.builder("idempotency.attempts")
							.description("Attempts at protected operations, by what they came to")
							.tag("operation", this.operation)
							.tag("outcome", key.tag())
							.tag("enforced", String.valueOf(enforced))
							.register(IdempotencyMeters.this.registry));
			}
			counter.increment();
		}

		private void execution(ExecutionOutcome outcome) {
			Counter counter = this.executions.get(outcome);
			if (counter == null) {
				counter = this.executions.computeIfAbsent(outcome,
						(key) -> Counter.builder("idempotency.executions")
							.description("Executions that held their key, by what became of them")
							.tag("operation", this.operation)
							.tag("outcome", key.tag())
							.register(IdempotencyMeters.this.registry));
			}
			counter.increment();
		}

		private void claimLost() {
			Counter counter = this.claimsLost;
			if (counter == null) {
				counter = Counter.builder("idempotency.claims.lost")
					.description("Executions that stalled past their lease while someone else took their key")
					.tag("operation", this.operation)
					.register(IdempotencyMeters.this.registry);
				this.claimsLost = counter;
			}
			counter.increment();
		}

	}

}
