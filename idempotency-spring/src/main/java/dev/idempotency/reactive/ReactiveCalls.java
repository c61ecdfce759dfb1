package dev.idempotency.reactive;

import dev.idempotency.call.Calls;
import dev.idempotency.call.ResultFormat;
import dev.idempotency.call.RunningCall;
import dev.idempotency.core.Attempt;
import reactor.core.publisher.Mono;

/**
 * The engine for callers who deal in Java values and do not block.
 */
public final class ReactiveCalls {

	private final ReactiveEngine engine;

	private final Calls calls;

	/**
	 * Create reactive calls.
	 * @param calls the calls of an application, with threads for those who do not block
	 */
	public ReactiveCalls(Calls calls) {
		this.calls = calls;
		this.engine = new ReactiveEngine(calls.engine(), calls.threads());
	}

	ReactiveEngine engine() {
		return this.engine;
	}

	/**
	 * Runs work from its claim to its end, once per key, for each subscription. Nothing
	 * is claimed before. Once it has begun, it goes on when the subscriber cancels, and
	 * what comes of it is stored.
	 * @param attempt the attempt
	 * @param format how its result is written and read
	 * @param work the work
	 * @return emits the result, now or then, and nothing if that is {@code null}; or an
	 * {@link dev.idempotency.IdempotencyException} if it does not run and there is none;
	 * or what the work failed with
	 */
	public Mono<Object> run(Attempt attempt, ResultFormat format, Work work) {
		return Mono.create((sink) -> {
			Emission<Object> emission = new Emission<>(sink);
			ReactiveRun run = new ReactiveRun(this.engine, this.calls, new ReactiveRun.Task(attempt, format, work),
					sink, emission);
			emission.after(run::start);
		});
	}

	/**
	 * Work that ends later.
	 */
	@FunctionalInterface
	public interface Work {

		/**
		 * Begins the work, or at least prepares it.
		 * @param call the call that has its key; it is current on this thread, and in
		 * Reactor's context
		 * @return emits what comes of it when it is subscribed to
		 * @throws Throwable if it failed
		 */
		Mono<?> begin(RunningCall call) throws Throwable;

		/**
		 * Whether a failure is a result, and to be stored.
		 * @param failure the failure
		 * @return {@code false} if the next attempt is to run
		 */
		default boolean stores(Throwable failure) {
			return false;
		}

	}

}
