package dev.idempotency.reactive;

import java.util.function.Function;

import dev.idempotency.IdempotencyContext;
import dev.idempotency.OnCrash;
import dev.idempotency.ResultType;
import dev.idempotency.Steps;
import dev.idempotency.call.OpenStep;
import dev.idempotency.call.OpenSteps;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The {@link Steps} of the protected operation that a reactive pipeline is a part of:
 * partial results that are stored as soon as they are available, so that a retry replays
 * the finished steps and continues with the next.
 * <p>
 * A step runs when it is subscribed to, and emits nothing if its result is {@code null}.
 * Once it has begun, it continues if the subscriber cancels. No step is transactional,
 * because a transaction that the store can join belongs to a thread.
 */
public final class ReactiveSteps {

	static final ReactiveSteps OF_OPERATION = new ReactiveSteps(Function.identity());

	private final Function<Steps, Steps> selection;

	private ReactiveSteps(Function<Steps, Steps> selection) {
		this.selection = selection;
	}

	/**
	 * Runs a step, unless an earlier attempt has.
	 * @param name the name of the step, unique in the operation; an attempt can finish it
	 * once
	 * @param type the type of its result
	 * @param work the work, whose failure lets a retry run it again
	 * @param <T> the type of its result
	 * @return emits the result of this or an earlier attempt
	 */
	public <T> Mono<T> run(String name, ResultType<T> type, Mono<? extends T> work) {
		return run((steps) -> steps.open(name, type), work);
	}

	/**
	 * Runs a step, unless an earlier attempt has, as
	 * {@link #run(String, ResultType, Mono)} does.
	 * @param name the name of the step, unique in the operation
	 * @param type the type of its result
	 * @param <T> the type of its result
	 * @return emits the result of this or an earlier attempt
	 */
	public <T> Mono<T> run(String name, Class<T> type, Mono<? extends T> work) {
		return run(name, ResultType.of(type), work);
	}

	/**
	 * Runs a step, unless it has run with the same inputs.
	 * @param name the name of the step, unique in the operation
	 * @param inputs what it works on, such as a map or a record: compared as JSON, by its
	 * value
	 * @param type the type of its result
	 * @param work the work, whose failure lets a retry run it again
	 * @param <T> the type of its result
	 * @return emits the result of this or an earlier attempt
	 */
	public <T> Mono<T> run(String name, @Nullable Object inputs, ResultType<T> type, Mono<? extends T> work) {
		return run((steps) -> steps.open(name, inputs, type), work);
	}

	/**
	 * Runs a step, unless it has run with the same inputs, as
	 * {@link #run(String, Object, ResultType, Mono)} does.
	 * @param name the name of the step, unique in the operation
	 * @param inputs what it works on
	 * @param type the type of its result
	 * @param <T> the type of its result
	 * @return emits the result of this or an earlier attempt
	 */
	public <T> Mono<T> run(String name, @Nullable Object inputs, Class<T> type, Mono<? extends T> work) {
		return run(name, inputs, ResultType.of(type), work);
	}

	/**
	 * These steps with another behavior after a crash: what happens to a step that had
	 * begun when its process crashed.
	 * @param onCrash what happens to it; by default it runs again
	 */
	public ReactiveSteps withOnCrash(OnCrash onCrash) {
		return new ReactiveSteps((steps) -> steps.withOnCrash(onCrash));
	}

	@SuppressWarnings("unchecked")
	private <T> Mono<T> run(Function<OpenSteps, OpenStep> opening, Mono<? extends T> work) {
		return (Mono<T>) ReactiveIdempotencyContext.current().flatMap((operation) -> run(operation, opening, work));
	}

	private Mono<?> run(IdempotencyContext operation, Function<OpenSteps, OpenStep> opening, Mono<?> work) {
		if (!(operation.steps() instanceof OpenSteps steps)) {
			// Nothing is protected
			return work;
		}
		ReactiveCalls calls = new ReactiveCalls(steps.calls());
		// The first step, and withOnCrash, access the store
		return calls.engine()
			.ask(() -> opening.apply((OpenSteps) this.selection.apply(steps)))
			.flatMap((step) -> calls.run(step.attempt(), step.format(), (call) -> work)
				.doOnError((ex) -> step.undone().run())
				.doOnCancel(step.undone()));
	}

}
