package dev.idempotency.actuate;

import java.util.concurrent.atomic.AtomicBoolean;

import dev.idempotency.IdempotencyKey;
import dev.idempotency.core.AttemptObserver;
import dev.idempotency.core.Completion;
import dev.idempotency.core.Decision;
import dev.idempotency.core.IdempotencyEvent;
import dev.idempotency.core.IdempotencyListener;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Creates an {@link Observation} of each attempt at a protected operation. It stops when
 * the attempt is refused or replayed, or when its execution ends. It is never the current
 * observation of a thread.
 */
public final class IdempotencyObserver implements AttemptObserver {

	private static final IdempotencyObservationConvention DEFAULT = new DefaultIdempotencyObservationConvention();

	private final ObservationRegistry registry;

	private final @Nullable IdempotencyObservationConvention convention;

	private final BoundedOperations<String> operations = new BoundedOperations<>(IdempotencyMeters.MAX_OPERATIONS,
			(operation) -> operation);

	/**
	 * Create an observer.
	 * @param registry the registry of the observations
	 * @param convention the convention for their names, or {@code null} for the default
	 */
	public IdempotencyObserver(ObservationRegistry registry, @Nullable IdempotencyObservationConvention convention) {
		this.registry = registry;
		this.convention = convention;
	}

	@Override
	public @Nullable IdempotencyListener begin(IdempotencyKey key) {
		if (this.registry.isNoop()) {
			return null;
		}
		IdempotencyObservationContext context = new IdempotencyObservationContext(key,
				this.operations.get(key.scope().operation()));
		Observation observation = Observation.createNotStarted(this.convention, DEFAULT, () -> context, this.registry);
		return observation.isNoop() ? null : new Follower(observation.start(), context);
	}

	/**
	 * Follows one attempt.
	 */
	private static final class Follower implements IdempotencyListener {

		private final Observation observation;

		private final IdempotencyObservationContext context;

		private final AtomicBoolean stopped = new AtomicBoolean();

		private Follower(Observation observation, IdempotencyObservationContext context) {
			this.observation = observation;
			this.context = context;
		}

		@Override
		public void onEvent(IdempotencyEvent event) {
			if (event instanceof IdempotencyEvent.Decided decided) {
				decided(decided);
			}
			else if (event instanceof IdempotencyEvent.Undecided undecided) {
				this.context.decided(OutcomeTags.ofRefusal(undecided.cause().reason()), true);
				stop(undecided.cause());
			}
			else if (event instanceof IdempotencyEvent.RanUnprotected) {
				this.context.decided(OutcomeTags.UNPROTECTED, true);
				stop(null);
			}
			else {
				String outcome = OutcomeTags.ofExecution(event);
				if (outcome != null && !this.stopped.get()) {
					this.context.completed(outcome);
					stop(failure(event));
				}
			}
		}

		private void decided(IdempotencyEvent.Decided decided) {
			Decision.Answer answer = decided.answer();
			this.context.decided(OutcomeTags.ofAttempt(answer), decided.enforced());
			if (answer == null) {
				this.context.runs(decided.attempt());
				return;
			}
			this.context.follows(TraceReference.parse(answer.trace()));
			stop(null);
		}

		/**
		 * The failure of the store. Failures of the application are not observed here.
		 */
		private static @Nullable Throwable failure(IdempotencyEvent event) {
			return (event instanceof IdempotencyEvent.Finished finished
					&& finished.completion().kind() == Completion.Kind.FAILED) ? finished.completion().cause() : null;
		}

		private void stop(@Nullable Throwable error) {
			if (this.stopped.compareAndSet(false, true)) {
				if (error != null) {
					this.observation.error(error);
				}
				this.observation.stop();
			}
		}

	}

}
