package dev.idempotency.reactive;

import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

import dev.idempotency.IdempotencyStoreException;
import dev.idempotency.call.CallThreads;
import dev.idempotency.core.Attempt;
import dev.idempotency.core.Decision;
import dev.idempotency.core.DecisionHandler;
import dev.idempotency.core.FirstFailure;
import dev.idempotency.core.IdempotencyEngine;
import dev.idempotency.core.PendingDecision;
import dev.idempotency.core.Preview;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The engine for callers that must not block. The store runs on its own threads, and
 * results are emitted on Reactor's. All failures are signalled, including errors of the
 * virtual machine.
 */
public final class ReactiveEngine {

	private final IdempotencyEngine engine;

	private final CallThreads threads;

	/**
	 * Create a reactive engine.
	 * @param threads the threads of the store
	 */
	public ReactiveEngine(IdempotencyEngine engine, CallThreads threads) {
		this.engine = engine;
		this.threads = threads;
	}

	/**
	 * The blocking engine.
	 */
	public IdempotencyEngine engine() {
		return this.engine;
	}

	/**
	 * Decides about an attempt. If the operation is running and the policy allows it,
	 * waits without holding a thread. The wait ends if the subscriber cancels.
	 * @param taken gets the decision at once, on the thread that made it. If the
	 * subscriber has cancelled before, it gets nothing, and an execution is closed
	 * @param <T> the result of that function
	 * @return emits the result of that function, or the exceptions of
	 * {@link IdempotencyEngine#begin(Attempt)}
	 */
	public <T> Mono<T> begin(Attempt attempt, Function<? super Decision, ? extends T> taken) {
		return begin(attempt, 0, taken);
	}

	/**
	 * Decides about an attempt that holds memory while it waits for the store, as
	 * {@link #begin(Attempt, Function)} does. It is refused if too much is held already.
	 * @param bytes how much memory it holds
	 * @param taken gets the decision at once, on the thread that made it
	 * @param <T> the type of the result of that function
	 * @return emits the result of that function, or the exceptions of
	 * {@link IdempotencyEngine#begin(Attempt)}
	 */
	public <T> Mono<T> begin(Attempt attempt, long bytes, Function<? super Decision, ? extends T> taken) {
		return Mono.create((sink) -> {
			ResultSignal<T> signal = new ResultSignal<>(sink);
			PropagatedContext bound = new PropagatedContext(sink.contextView());
			signal.after(() -> {
				PendingDecision pending = bound.get(() -> this.engine.begin(attempt,
						bound.on(this.threads.decisions(bytes)), new Taking<T>(taken, signal)));
				sink.onCancel(pending::cancel);
			});
		});
	}

	/**
	 * Tells what {@link #begin} would decide, and changes nothing.
	 * @return emits the preview, or the exceptions of {@link IdempotencyEngine#preview}
	 */
	public Mono<Preview> preview(Attempt attempt) {
		return ask(() -> this.engine.preview(attempt));
	}

	/**
	 * Accesses the store. Fails if too many claims wait already.
	 */
	<T> Mono<T> ask(Callable<? extends @Nullable T> question) {
		return on(this.threads.decisions().claims(), question);
	}

	/**
	 * Ends an execution: completes or closes it. This is never refused for lack of
	 * threads, and continues if the subscriber cancels.
	 * @param ending ends it, once for each subscription
	 * @param <T> the type of the result
	 * @return emits the result, nothing if that is {@code null}, or the exception
	 */
	public <T> Mono<T> end(Callable<? extends @Nullable T> ending) {
		return end(0, ending);
	}

	/**
	 * Ends an execution whose result holds memory while it waits for the store, as
	 * {@link #end(Callable)} does. While too much is held, claims are refused.
	 * @param bytes how much memory it holds
	 * @param ending ends it, once for each subscription
	 * @param <T> the type of the result
	 * @return emits the result, nothing if that is {@code null}, or the exception
	 */
	public <T> Mono<T> end(long bytes, Callable<? extends @Nullable T> ending) {
		return on(this.threads.completions(bytes), ending);
	}

	private static <T> Mono<T> on(Executor executor, Callable<? extends @Nullable T> call) {
		return Mono.create((sink) -> {
			ResultSignal<T> signal = new ResultSignal<>(sink);
			Executor bound = new PropagatedContext(sink.contextView()).on(executor);
			signal.after(() -> execute(bound, () -> signal.emit(call)));
		});
	}

	private static void execute(Executor executor, Runnable task) {
		try {
			executor.execute(task);
		}
		catch (RejectedExecutionException ex) {
			throw new IdempotencyStoreException("The idempotency store is overloaded: too many claims wait for it", ex);
		}
	}

	/**
	 * Takes a decision.
	 */
	private record Taking<T>(Function<? super Decision, ? extends T> taken,
			ResultSignal<T> signal) implements DecisionHandler {

		@Override
		public void decided(Decision decision) {
			T result;
			try {
				result = Objects.requireNonNull(this.taken.apply(decision), "the function must not return null");
			}
			catch (Throwable ex) {
				if (decision instanceof Decision.Proceed proceed) {
					// Nothing else would close it
					FirstFailure.then(ex, proceed.execution()::close);
				}
				this.signal.error(ex);
				return;
			}
			this.signal.success(result);
		}

		@Override
		public void failed(Throwable failure) {
			this.signal.error(failure);
		}

	}

}
