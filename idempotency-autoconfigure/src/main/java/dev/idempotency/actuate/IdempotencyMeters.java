package dev.idempotency.actuate;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import dev.idempotency.core.Conclusion;
import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.core.IdempotencyListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Counts what the engine does: {@code idempotency.attempts},
 * {@code idempotency.executions}, {@code idempotency.claims.lost},
 * {@code idempotency.takeovers} and {@code idempotency.settled}. The number of operations
 * that have a tag of their own is limited.
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
			of(event).attempt(OutcomeTags.ofAttempt(decided.answer()), decided.enforced());
		}
		else if (event instanceof IdempotencyEvent.Rejected rejected) {
			of(event).attempt(OutcomeTags.ofRefusal(rejected.reason()), rejected.enforced());
		}
		else if (event instanceof IdempotencyEvent.Undecided undecided) {
			of(event).attempt(OutcomeTags.ofRefusal(undecided.cause().reason()), true);
		}
		else if (event instanceof IdempotencyEvent.RanUnprotected) {
			of(event).attempt(OutcomeTags.UNPROTECTED, true);
		}
		else if (event instanceof IdempotencyEvent.ClaimLost) {
			of(event).claimsLost.increment();
		}
		else if (event instanceof IdempotencyEvent.TakenOver) {
			of(event).takeovers.increment();
		}
		else if (event instanceof IdempotencyEvent.Settled settled) {
			OperationMeters meters = of(event);
			(settled.conclusion() instanceof Conclusion.NotDone ? meters.settledAsNotDone : meters.settledAsDone)
				.increment();
		}
		else {
			String outcome = OutcomeTags.ofExecution(event);
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

		private final Map<String, Counter> attempts = new ConcurrentHashMap<>();

		private final Map<String, Counter> observedAttempts = new ConcurrentHashMap<>();

		private final Map<String, Counter> executions = new ConcurrentHashMap<>();

		private final LazyCounter claimsLost = new LazyCounter(() -> counter("idempotency.claims.lost",
				"Executions that stalled past their lease while someone else took their key"));

		private final LazyCounter takeovers = new LazyCounter(
				() -> counter("idempotency.takeovers", "Attempts that began after an earlier one vanished"));

		private final LazyCounter settledAsDone = new LazyCounter(() -> settled("done"));

		private final LazyCounter settledAsNotDone = new LazyCounter(() -> settled("not_done"));

		private OperationMeters(String operation) {
			this.operation = operation;
		}

		private Counter.Builder counter(String name, String description) {
			return Counter.builder(name).description(description).tag("operation", this.operation);
		}

		private Counter.Builder settled(String outcome) {
			return counter("idempotency.settled", "Abandoned keys that someone settled").tag("outcome", outcome);
		}

		private void attempt(String outcome, boolean enforced) {
			Map<String, Counter> counters = enforced ? this.attempts : this.observedAttempts;
			Counter counter = counters.get(outcome);
			if (counter == null) {
				counter = counters.computeIfAbsent(outcome,
						(key) -> Counter.builder("idempotency.attempts")
							.description("Attempts at protected operations, by what they came to")
							.tag("operation", this.operation)
							.tag("outcome", key)
							.tag("enforced", String.valueOf(enforced))
							.register(IdempotencyMeters.this.registry));
			}
			counter.increment();
		}

		private void execution(String outcome) {
			Counter counter = this.executions.get(outcome);
			if (counter == null) {
				counter = this.executions.computeIfAbsent(outcome,
						(key) -> Counter.builder("idempotency.executions")
							.description("Executions that held their key, by what became of them")
							.tag("operation", this.operation)
							.tag("outcome", key)
							.register(IdempotencyMeters.this.registry));
			}
			counter.increment();
		}

	}

	/**
	 * A counter that is made when there is something to count.
	 */
	private final class LazyCounter {

		private final Supplier<Counter.Builder> builder;

		private volatile @Nullable Counter counter;

		private LazyCounter(Supplier<Counter.Builder> builder) {
			this.builder = builder;
		}

		private void increment() {
			Counter known = this.counter;
			if (known == null) {
				known = this.builder.get().register(IdempotencyMeters.this.registry);
				this.counter = known;
			}
			known.increment();
		}

	}

}
