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
import reactor.core.publisher.MonoSink;

/**
 * The engine for those who must not block. The store is asked on threads of its own, and
 * what comes of it is emitted on Reactor's; whatever fails is signalled, errors of the
 * virtual machine included.
 */
public final class ReactiveEngine {

	private final IdempotencyEngine engine;

	private final CallThreads threads;

	/**
	 * Create a reactive engine.
	 * @param engine decides
	 * @param threads where the store is asked
	 */
	public ReactiveEngine(IdempotencyEngine engine, CallThreads threads) {
		this.engine = engine;
		this.threads = threads;
	}

	/**
	 * The engine that decides.
	 * @return the engine
	 */
	public IdempotencyEngine engine() {
		return this.engine;
	}

	/**
	 * Decides about an attempt. Waits for the same operation when it is running and the
	 * policy is patient, and holds no thread meanwhile; the wait ends when the subscriber
	 * cancels.
	 * @param attempt the attempt
	 * @param taken is given the decision at once, on the thread that made it, unless the
	 * subscriber has cancelled before: then an execution is closed
	 * @param <T> what is made of the decision
	 * @return emits what was made of it, or what {@link IdempotencyEngine#begin(Attempt)}
	 * would throw
	 */
	public <T> Mono<T> begin(Attempt attempt, Function<? super Decision, ? extends T> taken) {
		return Mono.create((sink) -> {
			Emission<T> emission = new Emission<>(sink);
			emission.after(() -> {
				sink.onCancel(begin(attempt, new Taking<T>(taken, emission), sink)::cancel);
			});
		});
	}

	/**
	 * Says what {@link #begin} would decide, and changes nothing.
	 * @param attempt the attempt
	 * @return emits what would be done, or what {@link IdempotencyEngine#preview} would
	 * throw
	 */
	public Mono<Preview> preview(Attempt attempt) {
		return ask(() -> this.engine.preview(attempt));
	}

	/**
	 * Asks the store. It is refused if too many claims wait already.
	 */
	<T> Mono<T> ask(Callable<? extends @Nullable T> question) {
		return on(this.threads.decisions().claims(), question);
	}

	/**
	 * Ends an execution: completes or closes it. That is never refused for want of
	 * threads, and goes on when the subscriber cancels.
	 * @param ending what ends it, run once for each subscription
	 * @param <T> what comes of it
	 * @return emits what came of it, nothing if that is {@code null}, or what it throws
	 */
	public <T> Mono<T> end(Callable<? extends @Nullable T> ending) {
		return on(this.threads.completions(), ending);
	}

	private static <T> Mono<T> on(Executor executor, Callable<? extends @Nullable T> call) {
		return Mono.create((sink) -> {
			Emission<T> emission = new Emission<>(sink);
			Executor bound = new ThreadBound(sink.contextView()).on(executor);
			emission.after(() -> execute(bound, () -> emission.emit(call)));
		});
	}

	private static void execute(Executor executor, Runnable task) {
		try {
			executor.execute(task);
		}
		catch (RejectedExecutionException ex) {
			throw new IdempotencyStoreException("The idempotency store was not asked: too many claims wait for it", ex);
		}
	}

	/**
	 * Ends a call on behalf of a subscriber who may be gone.
	 */
	<T> void end(MonoSink<T> sink, Callable<? extends @Nullable T> ending) {
		Emission<T> emission = new Emission<>(sink);
		Executor bound = new ThreadBound(sink.contextView()).on(this.threads.completions());
		emission.after(() -> bound.execute(() -> emission.emit(ending)));
	}

	/**
	 * Decides about an attempt.
	 * @param handler is told on any thread
	 * @param subscriber whose context it is
	 */
	PendingDecision begin(Attempt attempt, DecisionHandler handler, MonoSink<?> subscriber) {
		ThreadBound bound = new ThreadBound(subscriber.contextView());
		return bound.get(() -> this.engine.begin(attempt, bound.on(this.threads.decisions()), handler));
	}

	/**
	 * Takes a decision.
	 */
	private record Taking<T>(Function<? super Decision, ? extends T> taken,
			Emission<T> emission) implements DecisionHandler {

		@Override
		public void decided(Decision decision) {
			T result;
			try {
				result = Objects.requireNonNull(this.taken.apply(decision), "nothing was made of a decision");
			}
			catch (Throwable ex) {
				if (decision instanceof Decision.Proceed proceed) {
					// Nobody else knows of it
					FirstFailure.then(ex, proceed.execution()::close);
				}
				this.emission.error(ex);
				return;
			}
			this.emission.success(result);
		}

		@Override
		public void failed(Throwable failure) {
			this.emission.error(failure);
		}

	}

}
