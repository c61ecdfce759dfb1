package dev.idempotency.actuate;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.idempotency.core.Conclusion;
import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.core.IdempotencyListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

/**
 * Counts what the engine does: {@code idempotency.attempts},
 * {@code idempotency.executions}, {@code idempotency.claims.lost},
 * {@code idempotency.takeovers} and {@code idempotency.settled}. The number of operations
 * that have a tag of their own is limited.
 */
public final class IdempotencyMeters implements IdempotencyListener {

	/**
	 * How many operations have a tag of their own by default.
	 */
	public static final int MAX_OPERATIONS = 200;

	private final MeterRegistry registry;

	private final BoundedOperations<OperationMeters> operations;

	/**
	 * Create the meters.
	 * @param registry the registry of the counters
	 */
	public IdempotencyMeters(MeterRegistry registry) {
		this(registry, MAX_OPERATIONS);
	}

	/**
	 * Create the meters with another limit.
	 * @param registry the registry of the counters
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
			of(event).settled.increment((settled.conclusion() instanceof Conclusion.NotDone) ? "not_done" : "done");
		}
		else {
			String outcome = OutcomeTags.ofExecution(event);
			if (outcome != null) {
				of(event).executions.increment(outcome);
			}
		}
	}

	private OperationMeters of(IdempotencyEvent event) {
		return this.operations.get(event.operation());
	}

	/**
	 * The meters of one operation.
	 */
	private final class OperationMeters {

		private final Counters attempts;

		private final Counters observedAttempts;

		private final Counters executions;

		private final Counters claimsLost;

		private final Counters takeovers;

		private final Counters settled;

		private OperationMeters(String operation) {
			Tags tags = Tags.of("operation", operation);
			String attempts = "Attempts at protected operations, by outcome";
			this.attempts = new Counters("idempotency.attempts", attempts, tags.and("enforced", "true"));
			this.observedAttempts = new Counters("idempotency.attempts", attempts, tags.and("enforced", "false"));
			this.executions = new Counters("idempotency.executions", "Executions that held their key, by outcome",
					tags);
			this.claimsLost = new Counters("idempotency.claims.lost",
					"Executions that stalled past their lease and whose key was taken over", tags);
			this.takeovers = new Counters("idempotency.takeovers", "Attempts that took over the key of an earlier one",
					tags);
			this.settled = new Counters("idempotency.settled", "Abandoned keys that were settled", tags);
		}

		private void attempt(String outcome, boolean enforced) {
			(enforced ? this.attempts : this.observedAttempts).increment(outcome);
		}

	}

	/**
	 * Counters of one name. Each is registered when there is something to count, and
	 * looked up once.
	 */
	private final class Counters {

		private static final String ANY = "";

		private final String name;

		private final String description;

		private final Tags tags;

		private final Map<String, Counter> known = new ConcurrentHashMap<>();

		private Counters(String name, String description, Tags tags) {
			this.name = name;
			this.description = description;
			this.tags = tags;
		}

		private void increment() {
			increment(ANY);
		}

		private void increment(String outcome) {
			Counter counter = this.known.get(outcome);
			if (counter == null) {
				counter = this.known.computeIfAbsent(outcome, this::register);
			}
			counter.increment();
		}

		private Counter register(String outcome) {
			return Counter.builder(this.name)
				.description(this.description)
				.tags(outcome.equals(ANY) ? this.tags : this.tags.and("outcome", outcome))
				.register(IdempotencyMeters.this.registry);
		}

	}

}
