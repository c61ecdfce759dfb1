package dev.idempotency.reactive;

import dev.idempotency.call.Calls;
import dev.idempotency.call.ResultFormat;
import dev.idempotency.call.RunningCall;
import dev.idempotency.core.Attempt;
import reactor.core.publisher.Mono;

/**
 * Runs calls with Java values as results on the engine, for callers that must not block.
 */
public final class ReactiveCalls {

	private final ReactiveEngine engine;

	private final Calls calls;

	/**
	 * Create reactive calls.
	 * @param calls the calls of an application, with threads for callers that must not
	 * block
	 */
	public ReactiveCalls(Calls calls) {
		this.calls = calls;
		this.engine = new ReactiveEngine(calls.engine(), calls.threads());
	}

	ReactiveEngine engine() {
		return this.engine;
	}

	/**
	 * Claims a key, runs the work and completes the key, for each subscription. Nothing
	 * is claimed before. Once the work has begun, it continues if the subscriber cancels,
	 * and its result is stored.
	 * @param format the format of its result
	 * @return emits the result of this or an earlier call, and nothing if that is
	 * {@code null}; or an {@link dev.idempotency.IdempotencyException} if it does not run
	 * and there is none; or the failure of the work
	 */
	public Mono<Object> run(Attempt attempt, ResultFormat format, Work work) {
		return Mono.deferContextual((context) -> new ReactiveWork(this.engine, this.calls, attempt, format, work,
				ReactiveIdempotencyContext.enclosing(context))
			.result());
	}

	/**
	 * Asynchronous work.
	 */
	@FunctionalInterface
	public interface Work {

		/**
		 * Begins the work, or at least prepares it.
		 * @param call the call that holds the key; it is current on this thread, and in
		 * Reactor's context
		 * @return emits the result when it is subscribed to
		 * @throws Throwable if it failed
		 */
		Mono<?> begin(RunningCall call) throws Throwable;

		/**
		 * Whether a failure is a result, and is stored.
		 * @return {@code false} if the next attempt runs
		 */
		default boolean stores(Throwable failure) {
			return false;
		}

	}

}
